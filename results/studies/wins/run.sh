#!/bin/sh
# Repeats the study: half an hour on two cores; what was stopped goes on. Run it in the root of a clone, with gyges on
# the path.
set -e
here=results/studies/wins
games=results/study-wins
for run in random setups kang ablation; do
	gyges tournament $here/$run.yaml --out $games/$run
done
gyges games stats $games/random --format csv >$here/random.csv
gyges rate $games/ablation --compare whole --format csv >$here/ablation.csv
for rules in standard simplified kang; do
	gyges match alphabeta:nodes=2000,policy_weight=0,name=whole \
		alphabeta:nodes=2000,policy_weight=0,weights=$here/no-network-$rules.json,name=no-network \
		--rules $rules --pairs 200 --seed 20 --out $games/no-network-$rules
done
gyges rate $games/no-network-* --compare whole --format csv >$here/no-network.csv
sh $here/refit.sh $games/refit
for rules in standard simplified kang; do
	gyges rate $games/refit/$rules-refit --compare all --format csv
done | awk 'NR == 1 || !/^table/' >$here/refit.csv
gyges games stats $games/setups $games/kang --format csv >$here/games.csv
