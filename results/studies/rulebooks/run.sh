#!/bin/sh
# Repeats the study: half an hour on two cores. Runs that were stopped go on. Run it in the root of a
# clone, with gyges on the path; the games are kept in results/study-rulebooks.
set -e
here=results/studies/rulebooks
games=results/study-rulebooks
for run in setups random; do
	gyges tournament $here/$run.yaml --out $games/$run
	gyges games stats $games/$run --format csv >$here/$run.csv
	sed 's/,"timing":.*//' $games/$run/games.jsonl | sha256sum >$here/$run.sha256
done
# South's first-move advantage under each rule set: two columns of the rating table.
gyges rate $games/setups $games/random --format csv | awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; print "rules,advantage,error"; next }
	!seen[$1]++ { printf "%s,%.1f,%.1f\n", substr($1, 7), $column["advantage"], $column["advantage_error"] }
' >$here/advantage.csv
gyges plot $here/advantage.csv --label rules --value advantage --interval error --narrow \
	--unit "South's advantage, Elo" --caption "South's first-move advantage under each preset" --out $here/advantage.svg

# What the differing rules touch: each preset against the common ground that it varies.
compare() {
	gyges games stats $games/$1 --rules "$2" --compare "$3" --format csv |
		awk -v other="$3" '/,compare_/ { print $0 "," other }'
}
{
	echo rules,statistic,value,low,high,n,compared_with
	for rules in simplified italian leather turkish-advanced; do
		compare setups $rules standard
	done
	for rules in italian-simplified russian turkish-basic; do
		compare setups $rules simplified
	done
	compare random cosmoludo standard
	compare random italian-kang kang
} >$here/compared.csv
