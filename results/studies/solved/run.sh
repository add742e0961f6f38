#!/bin/sh
# Repeats the study: the first part takes a minute on two cores, the whole some hours. Run it in the
# root of a clone, with gyges on the path.
set -e
here=results/studies/solved
rules=simplified
mkdir -p results/study-solved
gyges openings --rules $rules --setups --count 4068 >results/study-solved/setups.txt

# The seconds, the ninth column, differ from run to run and are left out.
# South's row 112233, or its mirror image, against every row of North: a strategy for each.
grep -E '/(112233|332211) s$' results/study-solved/setups.txt >results/study-solved/112233.txt
gyges solve --rules $rules --proof --nodes 3000000 --list results/study-solved/112233.txt --format csv |
	cut -d, -f1-8,10 >$here/112233.csv

# The same by plain alpha-beta, which shares no code with the search by proof numbers but the rules
# and the evaluation: the plies to the win that it reports as proven.
echo position,plies,nodes >$here/alphabeta.csv
while read -r position; do
	gyges analyse --rules italian-simplified --nodes 40000000 --format json "$position" </dev/null | grep '"depth"' | tail -1 |
		sed -E "s#.*\"proven\":([-0-9]+),\"nodes\":([0-9]+).*#$position,\1,\2#; t; s#.*#$position,,#"
done <results/study-solved/112233.txt >>$here/alphabeta.csv

# One strategy as a file, and its check.
gyges solve --rules $rules --proof --out $here/strategy.txt '232113/000000/000000/000000/000000/332211 s'
gyges solve --rules $rules --check $here/strategy.txt '232113/000000/000000/000000/000000/332211 s'

# Rows of South against which North wins: a reply for each that is known.
gyges solve --rules $rules --proof --nodes 3000000 --list $here/north.txt --format csv |
	cut -d, -f1-8,10 >$here/north.csv

# Shortest wins by the search without an evaluation: every set-up within 7 plies, fewer within more.
depth() {
	awk -v step=$3 'NR % step == 1 || step == 1' results/study-solved/setups.txt >results/study-solved/some.txt
	gyges solve --rules $1 --depth $2 --list results/study-solved/some.txt --format csv |
		awk -F, -v OFS=, '
			NR > 1 { n++; nodes += $8; proven += $3 != "none" }
			END { print $1, '$2', n, proven, nodes / n }'
}
{
	echo rules,plies,setups,proven,positions
	depth italian-simplified 7 1
	depth italian-simplified 9 8
	depth italian-simplified 11 64
	depth italian 5 8
	depth italian 7 128
} >$here/depths.csv

# Every set-up by proof numbers: hours.
gyges solve --rules italian-simplified --proof --nodes 400000 --list results/study-solved/setups.txt --format csv |
	cut -d, -f1-8,10 >$here/proofs.csv
