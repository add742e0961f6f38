#!/bin/sh
# How often the best move of alpha-beta changes when the search goes on for as many nodes again:
# prints CSV. An analysis is read at 1000, 2000, 4000 … nodes: its last line before each. The positions
# are set-ups, under Kang those after four random plies.
export LC_ALL=C
echo rules,nodes,doubled,positions,changed
for rules in standard simplified kang; do
	gyges openings --rules "$rules" --count 200 --seed 20 2>/dev/null |
		while read -r position; do
			echo position
			gyges analyse --rules "$rules" --nodes 256000 --format json "$position" </dev/null
		done |
		awk -v rules="$rules" '
			function finish(   n, k) {
				for (n = 1000; n <= 128000; n *= 2)
					if (best[n] != "" && best[2 * n] != "") {
						seen[n]++
						changed[n] += best[n] != best[2 * n]
					}
				for (n in best) delete best[n]
			}
			/^position/ { finish() }
			/"line":\["/ {
				match($0, /"nodes":[0-9]+/); nodes = substr($0, RSTART + 8, RLENGTH - 8) + 0
				match($0, /"line":\["[^"]+/); move = substr($0, RSTART + 9, RLENGTH - 9)
				for (n = 1000; n <= 256000; n *= 2)
					if (nodes <= n) best[n] = move
			}
			END {
				finish()
				for (n = 1000; n <= 128000; n *= 2)
					print rules "," n "," 2 * n "," seen[n] "," changed[n]
			}'
done
