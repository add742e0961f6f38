#!/bin/sh
# Repeats the study: two and a half hours on two cores. Run it in the root of a clone, with gyges on the path.
set -e
here=results/studies/nodes
games=results/study-nodes
for run in alphabeta alphabeta-long mcts mcts-long; do
	gyges tournament $here/$run.yaml --out $games/$run
	sed 's/,"timing":.*//' $games/$run/games.jsonl | sha256sum >$here/$run.sha256
	for rules in standard simplified kang; do
		gyges rate $games/$run --rules $rules --columns name,elo,error,difference,games \
			--format csv --plot $here/$run-$rules.svg >$here/$run-$rules.csv
	done
done

# The longest steps, and what they come to together.
long() {
	agent=$1 limit=$2 run=$3
	shift 3
	echo table,a,b,difference,error,los
	for n in "$@"; do
		gyges rate $games/$run --compare $agent:hash=64,$limit=$n --format csv | tail -n +2
	done
}
long alphabeta nodes alphabeta-long 64000 128000 256000 512000 >$here/alphabeta-long.csv
long mcts iterations mcts-long 4000 8000 >$here/mcts-long.csv

# Alpha-beta against MCTS at equal time; these games differ from run to run.
for time in 10ms 40ms 160ms; do
	gyges match alphabeta:hash=64 mcts:hash=64 --movetime $time --rules standard,simplified,kang \
		--pairs 40 --seed 20 --out $games/cross-$time
done
{
	echo time,rules,a,b,difference,error,los
	for time in 10ms 40ms 160ms; do
		gyges rate $games/cross-$time --compare alphabeta:hash=64 --format csv |
			awk -v time=$time 'NR > 1 { sub(/^Rules /, ""); print time "," $0 }'
	done
} >$here/crossing.csv
sh $here/changes.sh >$here/changes.csv
