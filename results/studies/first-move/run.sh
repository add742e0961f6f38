#!/bin/sh
# Repeats the study in the root of a clone, with gyges on the path: in two hours on two cores; "run.sh 20" plays every
# twentieth opening, in six minutes. What was stopped goes on. The weights of the engines are kept beside it; "run.sh 1
# weights" makes them again, in quarter of an hour.
set -e
here=results/studies/first-move
games=results/study-first-move
training=results/reference/training
step=${1:-1}
[ $step = 1 ] || games=$games-$step
mkdir -p $games

# Weights of other games and seeds than those that ship.
weights() {
	name=$1 rules=$2 pairs=$3 seed=$4
	gyges selfplay --rules $rules --agent alphabeta:nodes=300,hash=1,weights=$training/linear-$rules.json --random 0.15 \
		--temperature 0.3 --pairs $pairs --seed $seed --out $games/games-$name-$rules
}
fit() {
	gyges tune texel $training/$1.yaml --out $games/fit-$1
	cp $games/fit-$1/weights.json $here/$1.json
}
if [ "$2" = weights ]; then
	weights a simplified 80000 3501
	weights b simplified 80000 3503
	weights a standard 80000 3502
	weights a kang 10000 3504
	for name in network-a-simplified network-b-simplified network-a-standard features-standard features-simplified \
		features-kang; do
		fit $name
	done
fi

# The specs of the eight engines, a line each.
engines() {
	rules=$1 nodes=$2
	third="" fourth=",weights=$here/network-b-$rules.json"
	case $rules in
	standard) first=$training/first-standard.json fourth=",weights=$here/network-a-standard.json" depth=$((nodes / 10000 + 2)) ;;
	simplified) first=$here/network-a-simplified.json depth=$((nodes / 5000 + 3)) ;;
	kang) first=$training/first-kang.json third=",weights=$training/third-kang.json" fourth="" depth=$((nodes / 10000 + 2)) ;;
	esac
	cat <<-END
		alphabeta:nodes=$nodes,weights=$training/handset-$rules.json,name=handset
		alphabeta:nodes=$nodes,weights=$training/linear-$rules.json,name=linear
		alphabeta:nodes=$nodes,weights=$first,name=network-1
		alphabeta:nodes=$nodes,weights=$training/second-$rules.json,name=network-2
		alphabeta:nodes=$nodes$third,name=network-3
		mcts:iterations=$((nodes / 40))$fourth,name=mcts
		alphabeta:depth=$depth,selective=0,weights=$here/features-$rules.json,name=depth-$depth
		alphabeta:nodes=$nodes,weights=$here/mobility-$rules.json,name=mobility
	END
}

# Each opening is played by four pairs of engines, so that each engine plays it twice: in seven rounds, of a
# seventh of the openings each, everyone meets everyone else.
play() {
	rules=$1 nodes=$2 every=$((step * $3))
	engines $rules $nodes >$games/engines.txt
	awk 'BEGIN { for (t = 0; t < 7; t++) for (k = 0; k < 4; k++) print t, k ? (t + k) % 7 + 1 : 8, (t + 7 - k) % 7 + 1 }' |
		while read -r round i j; do
			openings=random pairs=$((581 / every > 2 ? 581 / every : 2))
			if [ $rules != kang ]; then
				openings=file:$games/setups-$round.txt
				gyges openings --rules $rules --setups --count 4068 |
					awk -v round=$round -v every=$every 'NR % (7 * every) == round * every' >$games/setups-$round.txt
				pairs=$(wc -l <$games/setups-$round.txt)
			fi
			gyges match "$(sed -n ${i}p $games/engines.txt)" "$(sed -n ${j}p $games/engines.txt)" --rules $rules \
				--openings $openings --seed $((round + 35)) --pairs $pairs --out $games/$rules-$nodes-$i-$j </dev/null
		done
}

for rules in standard simplified kang; do
	play $rules 1000 1
done
play standard 10000 3
play simplified 10000 7
play kang 10000 20

for nodes in 1000 10000; do
	gyges rate $games/*-$nodes-* --crossed --format csv >$here/advantage-$nodes.csv
	{
		echo rules,name,elo,error,games
		for rules in standard simplified kang; do
			gyges rate $games/$rules-$nodes-* --columns name,elo,error,games --format csv | sed "1d; s/^/$rules,/"
		done
	} >$here/engines-$nodes.csv
done

for nodes in 1000 10000; do
	awk -F, -v OFS=, -v nodes=$nodes 'NR > 1 { print substr($1, 7), nodes " nodes", $6, $7 }' $here/advantage-$nodes.csv
done | sort | sed '1i rules,nodes,elo,error' | gyges plot - --label rules,nodes --value elo --interval error --narrow \
	--unit "South's advantage, Elo" \
	--caption "South's first-move advantage for an engine drawn at random, by rules and nodes" --out $here/advantage.svg
