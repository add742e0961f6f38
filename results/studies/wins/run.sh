#!/bin/sh
# Repeats the study: half an hour on two cores, after run.sh of ../rulebooks, whose games are
# counted, too. Run it in the root of a clone, with gyges on the path.
set -e
here=results/studies/wins
games=results/study-wins
for run in random ablation; do
	gyges tournament $here/$run.yaml --out $games/$run
	sed 's/,"timing":.*//' $games/$run/games.jsonl | sha256sum >$here/$run.sha256
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
awk -F, -v OFS=, 'NR == 1 || $3 != "network"' $here/refit.csv | sed 's/Rules //; s/all,no-/all,without /' |
	gyges plot - --label table,b --value difference --interval error --narrow --unit "Elo lost" \
		--caption "Elo without each group of inputs, the other weights fitted again, by rules" --out $here/refit.svg
gyges games stats results/study-rulebooks/setups results/study-rulebooks/random \
	--rules standard,simplified,kang --format csv >$here/games.csv
sed 's/Rules //; s/whole,no-/whole,without /' $here/ablation.csv | gyges plot - --label table,b --value difference \
	--interval error --narrow --unit "Elo lost" --caption "Elo without each group of inputs, by rules" --out $here/ablation.svg
