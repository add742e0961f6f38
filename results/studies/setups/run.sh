#!/bin/sh
# Repeats the study from the games of ../rulebooks and ../first-move, whose run.sh play them: seconds.
# Run it in the root of a clone, with gyges on the path.
set -e
here=results/studies/setups
for rules in standard simplified turkish-basic turkish-advanced; do
	games=results/study-rulebooks/setups
	case $rules in
	standard | simplified) games="$games results/study-first-move/third" ;;
	esac
	gyges rate $games --by setup --rules $rules --format csv --plot $here/$rules.svg >$here/$rules.csv
	gyges rate $games --by setup --rules $rules --per-side --format csv >$here/$rules-sides.csv
	gyges rate $games --by setup --rules $rules --per-side --crosstable --format csv >$here/$rules-meetings.csv
	# The spread of the rows' true ratings: the prior that fits them.
	gyges rate $games --by setup --rules $rules --prior fit --format markdown | grep -i -e prior -e cycle
done >$here/spread.txt

# What good rows have in common: the mean rating of the rows with a height on a file, by the file's
# distance from the edge of the board (0 for a and f, 2 for c and d).
for rules in standard simplified turkish-basic turkish-advanced; do
	awk -F, -v rules=$rules '
		NR > 1 {
			weight = 2 # a row and its mirror image
			if (substr($3, 1, 3) == substr($3, 6, 1) substr($3, 5, 1) substr($3, 4, 1))
				weight = 1 # it is its own
			for (i = 1; i <= 6; i++) {
				edge = i <= 3 ? i - 1 : 6 - i
				sum[substr($3, i, 1) "," edge] += weight * $5
				n[substr($3, i, 1) "," edge] += weight
			}
		}
		END { for (k in n) printf "%s,%s,%.1f\n", rules, k, sum[k] / n[k] }' $here/$rules.csv | sort
done | sed '1i rules,height,files_from_edge,elo' >$here/heights.csv

# The best reply of North to each row of South: the row that took most points against it.
for rules in standard simplified turkish-basic turkish-advanced; do
	awk -F, -v rules=$rules '
		NR > 1 {
			games = $4 + $5 + $6
			points = ($6 + $5 / 2) / games
			if (!($2 in best) || points > best[$2]) { best[$2] = points; list[$2] = ""; }
			if (points == best[$2]) list[$2] = list[$2] " " substr($3, 1, 6)
		}
		END { for (row in best) print rules "," substr(row, 1, 6) "," best[row] "," substr(list[row], 2) }' \
		$here/$rules-meetings.csv | sort
done | sed '1i rules,south,score_of_north,best_replies' >$here/replies.csv
rm $here/*-meetings.csv
