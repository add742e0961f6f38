#!/bin/sh
# Repeats the study: half an hour on two cores. Run it in the root of a clone, with gyges on the path.
set -e
here=results/studies/nodes
games=results/study-nodes
gyges tournament $here/alphabeta.yaml --out $games/alphabeta
sed 's/,"timing":.*//' $games/alphabeta/games.jsonl | sha256sum >$here/alphabeta.sha256
for rules in standard simplified kang; do
	gyges rate $games/alphabeta --rules $rules --columns name,elo,error,difference,games \
		--format csv --plot $here/alphabeta-$rules.svg >$here/alphabeta-$rules.csv
done
sh $here/changes.sh >$here/changes.csv
