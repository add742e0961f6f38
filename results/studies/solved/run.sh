#!/bin/sh
# Repeats the study: the first two parts take minutes on two cores, the whole some hours. Run it in the
# root of a clone, with gyges on the path.
set -e
here=results/studies/solved
games=results/study-solved
mkdir -p $games
gyges openings --rules italian-simplified --setups --count 4068 >$games/setups.txt

# South's row 213132, or its mirror image, against every row of North: a strategy for each. The
# seconds, the ninth column, differ from run to run and are left out.
grep -E '^(213132|231312)/' $games/setups.txt >$games/213132.txt
gyges solve --rules italian-simplified --proof --nodes 3000000 --list $games/213132.txt --format csv |
	cut -d, -f1-8,10 >$here/213132.csv
gyges solve --rules simplified --proof --nodes 3000000 --list $games/213132.txt --format csv |
	cut -d, -f1-8,10 >$here/superko.csv

# North's row 112233, or its mirror image, against every row of South.
grep -E '/(112233|332211) s$' $games/setups.txt >$games/112233.txt
gyges solve --rules simplified --proof --nodes 3000000 --list $games/112233.txt --format csv |
	cut -d, -f1-8,10 >$here/112233.csv

# North's winning reply to each of the other rows.
gyges solve --rules italian-simplified --proof --nodes 6000000 --list $here/north.txt --format csv |
	cut -d, -f1-8,10 >$here/north.csv

gyges solve --rules simplified --proof --nodes 20000000 --list $here/north.txt --format csv |
	cut -d, -f1-8,10 >$here/superko-north.csv

# The row that comes closest, or its mirror image, against every row of North.
grep -E '^(211332|233112)/' $games/setups.txt >$games/211332.txt
gyges solve --rules italian-simplified --proof --depth 61 --nodes 6000000 --list $games/211332.txt --format csv |
	cut -d, -f1-8,10 >$here/211332.csv

# One strategy as a file, and its check.
gyges solve --rules simplified --proof --out $here/strategy.txt '213132/000000/000000/000000/000000/123213 s'
gyges solve --rules simplified --check $here/strategy.txt '213132/000000/000000/000000/000000/123213 s'

# The wins of 213132 by plain alpha-beta, which shares no code with the search by proof numbers but
# the rules and the evaluation: the plies to the win that it reports as proven. Ten minutes.
echo position,plies,nodes >$here/alphabeta.csv
while read -r position; do
	gyges analyse --rules italian-simplified --nodes 20000000 --format json "$position" </dev/null | grep '"depth"' | tail -1 |
		sed -E "s#.*\"proven\":([-0-9]+),\"nodes\":([0-9]+).*#$position,\1,\2#; t; s#.*#$position,,#"
done <$games/213132.txt >>$here/alphabeta.csv

# Shortest wins by the search without an evaluation: every set-up within 7 plies, fewer within more.
depth() {
	awk -v step=$3 'NR % step == 1 || step == 1' $games/setups.txt >$games/some.txt
	gyges solve --rules $1 --depth $2 --list $games/some.txt --format csv |
		awk -F, -v OFS=, '
			NR > 1 { n++; nodes += $8; proven += $3 != "none" }
			END { printf "%s,%d,%d,%d,%.0f\n", $1, '$2', n, proven, nodes / n }'
}
{
	echo rules,plies,setups,proven,positions
	depth italian-simplified 7 1
	depth italian-simplified 9 8
	depth italian-simplified 11 64
	depth italian 5 8
	depth italian 7 256
} >$here/depths.csv

# Every set-up by proof numbers: hours.
gyges solve --rules italian-simplified --proof --nodes 400000 --list $games/setups.txt --format csv |
	cut -d, -f1-8,10 >$here/proofs.csv
