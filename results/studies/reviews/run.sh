#!/bin/sh
# Repeats the study in the root of a clone, with gyges on the path: half an hour on two cores. What was stopped goes on.
set -e
here=results/studies/reviews
games=results/study-reviews
gyges match alphabeta:nodes=20000,name=a alphabeta:nodes=22000,name=b --rules standard,simplified \
	--openings random:plies=2 --pairs 150 --seed 351 --out $games/games
{
	echo nodes,rules,from,to,games,positions,promised,won,error,excess
	for nodes in 1000 5000 20000; do
		[ -d $games/run-$nodes ] || cp -r $games/games $games/run-$nodes
		limit=0
		[ $nodes = 20000 ] && limit=120 # games, which take twenty times as long
		for rules in standard simplified; do
			gyges review $games/run-$nodes --rules $rules --nodes $nodes --limit $limit >/dev/null
		done
		# The winning probability before each judged move, for the side to move, and how many of these games it won: means
		# by class, with half the 95 % interval by games.
		awk -v nodes=$nodes -v bounds="0 0.05 0.2 0.4 0.6 0.8 0.95 1" '
			BEGIN { classes = split(bounds, bound, " ") - 1 }
			function field(text, name) {
				if (!match(text, "\"" name "\":\"?[^,\"}]*")) return ""
				text = substr(text, RSTART, RLENGTH)
				sub(/^[^:]*:"?/, "", text)
				return text
			}
			NR > 1 {
				rules = field($0, "rules")
				south = field($0, "result") == "1-0" ? 1 : field($0, "result") == "0-1" ? 0 : 0.5
				split("", n)
				split("", w)
				moves = split($0, move, /\{"ply":/)
				for (i = 2; i <= moves; i++) {
					p = field(move[i], "before")
					if (field(move[i], "mark") ~ /placement|repetition|forced/ || p <= 0 || p >= 1) continue
					for (c = 1; p >= bound[c + 1]; c++);
					n[c]++
					w[c] += field(move[i], "side") == "south" ? south : 1 - south
					promised[rules, c] += p
				}
				for (c in n) {
					k = rules SUBSEP c
					games[k]++; N[k] += n[c]; W[k] += w[c]
					nn[k] += n[c] ^ 2; ww[k] += w[c] ^ 2; nw[k] += n[c] * w[c]
				}
			}
			END {
				for (k in N) {
					split(k, part, SUBSEP)
					p = W[k] / N[k]
					printf "%d,%s,%s,%s,%d,%d,%.4f,%.4f,%.4f,%.4f\n", nodes, part[1], bound[part[2]], bound[part[2] + 1], games[k], N[k],
						promised[k] / N[k], p, 1.96 * sqrt(ww[k] - 2 * p * nw[k] + p ^ 2 * nn[k]) / N[k], p - promised[k] / N[k]
				}
			}' $games/run-$nodes/reviews.jsonl | sort -t, -k2,2 -k3,3n
	done
} >$here/reliability.csv
grep -e nodes -e ,standard, $here/reliability.csv | gyges plot - --label nodes,from,to --value excess --interval error --narrow \
	--unit "share won less promised" --caption "Games won less those promised, by nodes and class, standard rules" \
	--out $here/reliability.svg
