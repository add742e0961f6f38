#!/bin/sh
# Repeats the study: two and a half hours on two cores, after run.sh of ../rulebooks, whose games are counted, too.
# Run it in the root of a clone, with gyges on the path.
set -e
here=results/studies/first-move
games=results/study-first-move
record_sum() { sed 's/,"timing":.*//' $games/$1/games.jsonl | sha256sum >$here/$1.sha256; }
for run in weak kang-weak kang third fourth strong kang-strong; do
	gyges tournament $here/$run.yaml --out $games/$run
	record_sum $run
done
more() {
	gyges tournament $here/kang.yaml --rules $1 --pairs $2 --seed $3 --out $games/more-$1
	record_sum more-$1
}
more kang 4000 22
more cosmoludo 18000 21
more italian-kang 6000 21
others="italian italian-simplified russian turkish-basic turkish-advanced"
for rules in $others; do
	gyges tournament $here/third.yaml --rules $rules --out $games/third-$rules
	record_sum third-$rules
done

# The advantage at each strength: two columns of the rating table.
advantage() {
	strength=$1
	shift
	gyges rate "$@" --format csv | awk -F, -v strength="$strength" '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		!seen[$1]++ { printf "%s,%s,%.1f,%.1f\n", strength, substr($1, 7), $column["advantage"], $column["advantage_error"] }'
}
{
	echo nodes,rules,advantage,error
	advantage 100 $games/weak $games/kang-weak
	advantage 1000 results/study-rulebooks/setups $games/third $games/fourth --rules standard,simplified
	for rules in $others; do
		advantage 1000 results/study-rulebooks/setups $games/third-$rules $games/fourth --rules $rules
	done
	advantage 1000 results/study-rulebooks/random $games/kang $games/more-*
	advantage 5000 $games/strong $games/kang-strong
} >$here/advantage.csv

# South's share by the length of the game.
gyges games stats $games/weak $games/kang-weak --format csv | grep south_points | sed 's/^/100,/' >$here/lengths.tmp
gyges games stats results/study-rulebooks/setups results/study-rulebooks/random \
	--rules standard,simplified,kang --format csv | grep south_points | sed 's/^/1000,/' >>$here/lengths.tmp
gyges games stats $games/strong $games/kang-strong --format csv | grep south_points | sed 's/^/5000,/' >>$here/lengths.tmp
{
	echo nodes,rules,statistic,value,low,high,n
	cat $here/lengths.tmp
} >$here/lengths.csv
rm $here/lengths.tmp
