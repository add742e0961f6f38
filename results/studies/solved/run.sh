#!/bin/sh
# Repeats the study in the root of a clone, with gyges on the path: the theorem in ten minutes on two cores, its
# check by the independent program in another ten, the whole in some two hours. What is stopped goes on.
set -e
here=results/studies/solved
games=results/study-solved
mkdir -p $games

# A strategy for each of the 137 positions of the theorem, their certificate, and its check. The seconds, the ninth
# column, differ from run to run and are left out.
gyges solve --rules simplified --proof --nodes 20000000 --list $here/positions.txt --certificate $games/certificate \
	--format csv --out $games/proof.csv
cut -d, -f1-8,10 $games/proof.csv >$here/proof.csv
rm -f $here/certificate/*
cp $games/certificate/* $here/certificate
python3 $here/check.py --perft rules/testdata/perft/simplified.epd
python3 $here/check.py $here/certificate >$here/checked.txt

# All 4,068 set-ups up to mirror image.
gyges openings --rules simplified --setups --count 4068 >$games/setups.txt
gyges solve --rules simplified --proof --nodes 200000 --list $games/setups.txt --format csv --out $games/proofs.csv
cut -d, -f1-8,10 $games/proofs.csv >$here/proofs.csv

# North's row 112233, and the row of South that comes closest, or their mirror images.
grep -E '/(112233|332211) s$' $games/setups.txt >$games/112233.txt
gyges solve --rules simplified --proof --nodes 3000000 --list $games/112233.txt --format csv --out $games/112233.csv
cut -d, -f1-8,10 $games/112233.csv >$here/112233.csv
grep -E '^(211332|233112)/' $games/setups.txt >$games/211332.txt
gyges solve --rules simplified --proof --depth 61 --nodes 6000000 --list $games/211332.txt --format csv \
	--out $games/211332.csv
cut -d, -f1-8,10 $games/211332.csv >$here/211332.csv

# The wins of 213132 by plain alpha-beta, which shares no code with the search by proof numbers but
# the rules and the evaluation: the plies to the win that it reports as proven. Ten minutes.
echo position,plies,nodes >$here/alphabeta.csv
head -n 90 $here/positions.txt | while read -r position; do
	gyges analyse --rules italian-simplified --nodes 20000000 --format json "$position" </dev/null | grep '"depth"' | tail -1 |
		sed -E "s#.*\"proven\":([-0-9]+),\"nodes\":([0-9]+).*#$position,\1,\2#; t; s#.*#$position,,#"
done >>$here/alphabeta.csv

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

# How often the side that is proven to win does so, by players that are nearly alike: 150 set-ups that South wins and
# all that North does.
awk -F, '$3 == "win"' $here/proofs.csv | awk -F, 'NR % 13 == 1 { print $2 }' | head -n 150 >$games/south.txt
awk -F, '$3 == "loss" { print $2 }' $here/proofs.csv >$games/north.txt
won() {
	pairs=$(wc -l <$games/$1.txt)
	gyges match alphabeta:nodes=$2,name=a alphabeta:nodes=$(($2 * 11 / 10)),name=b --rules simplified \
		--openings file:$games/$1.txt --pairs $pairs --out $games/$1-$2 >/dev/null
	gyges games stats $games/$1-$2 --format csv | sed -n "s/^simplified,south_points,/$1,$2,/p"
}
{
	echo winner,player,south_points,low,high,games
	for side in south north; do
		for nodes in 250 1000 4000 16000 64000; do won $side $nodes; done
	done
} >$here/winners.csv

# Turkish basic rules: every 41st set-up.
awk 'NR % 41 == 7' $games/setups.txt >$games/some.txt
gyges solve --rules turkish-basic --proof --nodes 200000 --list $games/some.txt --format csv --out $games/turkish.csv
cut -d, -f1-8,10 $games/turkish.csv >$here/turkish.csv

# Standard rules: positions of games some plies before the end, those of the first games within 7 plies, too.
gyges tournament --rules standard --agent alphabeta:nodes=2000 --agent alphabeta:nodes=2200 --pairs 50 --openings random \
	--seed 1 --out $games/standard
before() {
	gyges games list $games/standard --format csv | awk -F, -v k=$1 'NR > 1 && $8 > k { print $1, $8 - k }' |
		head -n $3 | while read -r game ply; do
		gyges games show $games/standard $game --ply $ply --format json </dev/null | sed -n 's/.*"position": "\(.*\)".*/\1/p'
	done >$games/before.txt
	gyges solve --rules italian --depth $2 --list $games/before.txt --format csv | awk -F, -v OFS=, -v k=$1 -v depth=$2 '
		NR > 1 { n++; nodes += $8; decided += $3 != "none" }
		END { printf "%d,%d,%d,%d,%.0f\n", k, depth, n, decided, nodes / n }'
}
{
	echo before,plies,games,decided,positions
	for k in 1 2 3 4 5 6 7 8 9 10 12 14 16 18 20; do before $k 5 100; done
	for k in 7 8 9 10 12; do before $k 7 50; done
} >$here/standard.csv

sh $here/errors.sh
