#!/bin/sh
# Repeats the study: four hours on two cores; what was stopped goes on. Run it in the root of a clone, with gyges on
# the path.
set -e
here=results/studies/nodes
games=results/study-nodes
for run in alphabeta mcts; do
	gyges tournament $here/$run.yaml --out $games/$run
done

# What a doubling is worth: from a number of nodes to another one, the difference of the two in the fit of all, with its
# interval, divided by the number of doublings between them.
worth() {
	run=$1 nodes=$2 to=$3
	agent=alphabeta:hash=64,nodes=
	[ $run = alphabeta ] || agent=mcts:hash=64,iterations=
	gyges rate $games/$run --compare $agent$nodes --format csv | tr -d '"' |
		sed -n "s/^Rules \([a-z]*\),.*=$nodes,.*=$to,\([-0-9.e]*\),\([0-9.e]*\),.*/$run,\1,$nodes,$to,\2,\3/p" |
		awk -F, -v OFS=, '{ k = int(log($4 / $3) / log(2) + 0.5); printf "%s,%s,%d,%d,%.1f,%.1f\n", $1, $2, $3, $4, -$5 / k, $6 / k }'
}
head=search,rules,from,to,elo,error
{
	echo $head
	for nodes in 1000 2000 4000 8000 16000 32000 64000 128000; do worth alphabeta $nodes $((2 * nodes)); done
	for nodes in 125 250 500 1000; do worth mcts $nodes $((2 * nodes)); done
} >$here/doublings.csv
{
	echo $head
	worth alphabeta 1000 16000
	worth alphabeta 16000 256000
	worth alphabeta 1000 256000
	worth mcts 125 500
	worth mcts 500 2000
	worth mcts 125 2000
} >$here/means.csv

# Alpha-beta against MCTS at nearly equal time: so many nodes for each iteration. The ratio of times is that of all
# moves in the records.
cross() {
	rules=$1 each=$2 nodes=$3
	gyges match alphabeta:hash=64,nodes=$nodes mcts:hash=64,iterations=$((nodes / each)) --rules $rules \
		--pairs 480 --seed 35 --out $games/cross-$rules-$nodes >/dev/null
	ratio=$(gyges games list $games/cross-$rules-$nodes --format jsonl | awk '
		{
			match($0, /"move_ms":\[[^]]*/)
			count = split(substr($0, RSTART + 11, RLENGTH - 11), time, ",")
			first = $0 ~ /"opening":"[^" ]* s/ ? "south" : "north"
			match($0, /"south":\{"agent":"[a-z]*/)
			south = substr($0, RSTART + 18, RLENGTH - 18)
			for (i = 1; i <= count; i++) spent[(i % 2 == 1) == (first == "south") == (south == "alphabeta")] += time[i]
		}
		END { printf "%.2f", spent[1] / spent[0] }')
	gyges rate $games/cross-$rules-$nodes --compare alphabeta:hash=64,nodes=$nodes --format csv | tr -d '"' |
		sed -n "s/^Rules.*,\([-0-9.e]*\),\([0-9.e]*\),[-0-9.e]*$/$rules,$nodes,$((nodes / each)),\1,\2,$ratio/p"
}
{
	echo rules,nodes,iterations,elo,error,time_ratio
	for nodes in 11200 44800; do
		cross standard 70 $nodes
		cross simplified 26 $nodes
		cross kang 32 $nodes
	done
} >$here/crossing.csv
sh $here/changes.sh >$here/changes.csv
