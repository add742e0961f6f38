#!/bin/sh
# Replies to South's rows under standard rules: found by three engines of 100,000 nodes, and verified by games of five
# others that had no part in the choice. An hour on two cores; what was stopped goes on. Run it in the root of a clone,
# with gyges on the path.
set -e
here=results/studies/setups
games=results/study-replies
training=results/reference/training
others=results/studies/first-move
mkdir -p $games
gyges openings --rules standard --setups --count 4068 >$games/setups.txt
awk '{ printf "{\"id\":\"%s\",\"position\":\"%s\"}\n", $0, $0 }' $games/setups.txt >$games/requests.jsonl

# The probability that South wins each set-up, by one engine.
search() {
	[ -e $games/$1.csv ] && return
	gyges analyse --json --rules standard --nodes 100000 --agent alphabeta:hash=16$2 <$games/requests.jsonl |
		sed -n 's/.*"position":"\([^"]*\)".*"win_probability":\([0-9.e-]*\).*/\1,\2/p' | sort >$games/$1.part
	mv $games/$1.part $games/$1.csv
}
search network-1 ,weights=$training/first-standard.json
search network-2 ,weights=$training/second-standard.json
search network-3 ""

# Row, reply and set-up by the lower of South's row and its mirror image, with the three probabilities and their mean;
# and how far the engines agree on set-ups.
join -t, $games/network-1.csv $games/network-2.csv | join -t, - $games/network-3.csv | awk -F, -v OFS=, -v here=$here '
	function mirror(row, i, image) {
		for (i = 1; i <= 6; i++) image = substr(row, i, 1) image
		return image
	}
	{
		split($1, part, "[/ ]")
		row = part[1]; reply = part[6]
		if (mirror(row) < row) { row = mirror(row); reply = mirror(reply) }
		printf "%s,%s,%s,%.4f,%.4f,%.4f,%.4f\n", row, reply, $1, $2, $3, $4, ($2 + $3 + $4) / 3
		for (i = 2; i <= 4; i++) {
			s[i] += $i
			for (j = 2; j <= 4; j++) c[i, j] += $i * $j
		}
	}
	END {
		agreement = here "/replies-agreement.csv"
		print "a,b,correlation" >agreement
		for (i = 2; i < 4; i++)
			for (j = i + 1; j <= 4; j++) {
				both = sqrt((c[i, i] - s[i] ^ 2 / NR) * (c[j, j] - s[j] ^ 2 / NR))
				printf "network-%d,network-%d,%.2f\n", i - 1, j - 1, (c[i, j] - s[i] * s[j] / NR) / both >agreement
			}
	}' | sort -t, -k1,1 -k7,7n >$games/replies.csv

# Of each row the best reply for North, the one in the middle, and the worst.
awk -F, -v games=$games '
	function choose(i) {
		print setup[1] >(games "/best.txt")
		print setup[int((n + 1) / 2)] >(games "/middle.txt")
		print setup[n] >(games "/worst.txt")
	}
	$1 != row { if (n) choose(); row = $1; n = 0 }
	{ setup[++n] = $3 }
	END { choose() }' $games/replies.csv

# Each of ten pairings of five engines plays each of these set-ups twice.
cat >$games/engines.txt <<END
alphabeta:nodes=10000,weights=$training/handset-standard.json,name=handset
alphabeta:nodes=10000,weights=$training/linear-standard.json,name=linear
alphabeta:nodes=10000,weights=$others/mobility-standard.json,name=mobility
alphabeta:depth=3,selective=0,weights=$others/features-standard.json,name=depth-3
mcts:iterations=250,weights=$others/network-a-standard.json,name=mcts
END
for run in best middle worst; do
	for i in 1 2 3 4; do
		for j in 2 3 4 5; do
			[ $i -lt $j ] || continue
			gyges match "$(sed -n ${i}p $games/engines.txt)" "$(sed -n ${j}p $games/engines.txt)" --rules standard \
				--openings file:$games/$run.txt --pairs 48 --out $games/$run-$i-$j </dev/null
		done
	done
done

# South's points with each reply, as means over the rows with their 95 % intervals, and the correlation over the rows of
# what the three say of the best reply with what the five score against it.
for run in best middle worst; do
	for match in $games/$run-?-?; do
		gyges games list $match --format jsonl
	done | sed -n 's/.*"opening":"\([^"]*\)".*"result":"\([^"]*\)".*/\1,\2/p' |
		awk -F, -v run=$run 'NR == FNR { row[$1] = FNR; next } { print run "," row[$1] "," $2 }' $games/$run.txt -
done >$games/results.csv
awk -F, -v OFS=, '
	$1 != row { row = $1; print row, $2, $7 }' $games/replies.csv >$games/rows.csv
awk -F, -v OFS=, '
	NR == FNR { value[FNR] = $3; rows = FNR; next }
	{ n[$1, $2]++; won[$1, $2] += $3 == "1-0" ? 1 : $3 == "0-1" ? 0 : 0.5 }
	function points(run, row) { return run == "" ? 0 : won[run, row] / n[run, row] }
	function say(name, a, b, i, x, sum, square, mean) {
		for (i = 1; i <= rows; i++) {
			x = points(a, i) - points(b, i)
			sum += x
			square += x * x
		}
		mean = sum / rows # and the t distribution with 47 degrees of freedom
		printf "%s,%.4f,%.4f,%d\n", name, mean, 2.01 * sqrt((square / rows - mean ^ 2) / (rows - 1)), rows
	}
	END {
		print "reply,south_points,error,rows"
		say("best", "best"); say("middle", "middle"); say("worst", "worst")
		say("best less middle", "best", "middle"); say("worst less middle", "worst", "middle")
		for (i = 1; i <= rows; i++) {
			x = value[i]; y = points("best", i)
			sx += x; sy += y; xx += x * x; yy += y * y; xy += x * y
		}
		r = (rows * xy - sx * sy) / sqrt((rows * xx - sx ^ 2) * (rows * yy - sy ^ 2))
		z = log((1 + r) / (1 - r)) / 2; d = 1.96 / sqrt(rows - 3) # by R. A. Fisher
		printf "correlation of rows,%.2f,%.2f,%d\n", r, d * (1 - r * r), rows
	}' $games/rows.csv $games/results.csv >$here/replies.csv
{
	echo row,reply,south_wins
	cat $games/rows.csv
} >$here/replies-rows.csv
