#!/bin/sh
# Repeats the study: an hour on two cores. Run it in the root of a clone, with gyges on the path.
set -e
here=results/studies/nodes
games=results/study-nodes
for run in alphabeta mcts; do
	gyges tournament $here/$run.yaml --out $games/$run
	sed 's/,"timing":.*//' $games/$run/games.jsonl | sha256sum >$here/$run.sha256
	gyges rate $games/$run --columns name,elo,error,difference,games --format csv >$here/$run.csv
	gyges rate $games/$run --rules standard --plot $here/$run-standard.svg >/dev/null
	gyges rate $games/$run --rules simplified --plot $here/$run-simplified.svg >/dev/null
	gyges rate $games/$run --rules kang --plot $here/$run-kang.svg >/dev/null
done
sh $here/changes.sh >$here/changes.csv

# Equal time for both searches.
for time in 10ms 40ms 160ms; do
	gyges match alphabeta:movetime=$time mcts:movetime=$time --rules standard --pairs 40 --seed 20 --out $games/standard-$time
	gyges match alphabeta:movetime=$time mcts:movetime=$time --rules simplified --pairs 40 --seed 20 --out $games/simplified-$time
	gyges match alphabeta:movetime=$time mcts:movetime=$time --rules kang --pairs 40 --seed 20 --out $games/kang-$time
done
{
	echo table,a,b,difference,error,los
	for time in 10ms 40ms 160ms; do
		gyges rate $games/*-$time --compare alphabeta:movetime=$time --format csv | tail -n +2
	done
} >$here/equal-time.csv
