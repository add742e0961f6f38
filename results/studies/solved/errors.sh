#!/bin/sh
# Where the side that is proven to win gives its win away: its lost games of run.sh, one of each set-up. Every position
# of them is solved, 200,000 positions a side. Five minutes, after run.sh, in the root of a clone.
set -e
here=results/studies/solved
games=results/study-solved
for side in south north; do
	for nodes in 1000 16000; do
		result=0-1
		[ $side = south ] || result=1-0
		gyges games list $games/$side-$nodes --result $result --columns game,pair --format csv |
			awk -F, 'NR > 1 && !seen[$2]++ { print $1 }' | while read -r game; do
				gyges games show $games/$side-$nodes $game --format json </dev/null | awk -v cell="$side $nodes $game" '
					/"ply":/ { ply = $2 + 0 }
					/"score":/ { score = $2 + 0 }
					/"position":/ { split($0, part, "\""); print cell, ply, score, part[4] }'
			done
	done
done >$games/lost.txt
awk '{ rows = $6; if (gsub(/[1-3]/, "", rows) == 12) print $6, $7 }' $games/lost.txt | sort -u >$games/positions.txt
gyges solve --rules simplified --proof --nodes 200000 --list $games/positions.txt --format csv --out $games/positions.csv

# An error lies between the last position that is proven won and the first that is proven lost; by the number of the
# winner's move where one move alone lies between. The score is what the engine said of this move, in hundredths.
awk '
	NR == FNR { split($0, f, ","); result[f[2]] = f[3]; plies[f[2]] = f[4]; next }
	{
		game = $1 " " $2 " " $3; side = substr($1, 1, 1); ply = $4; position = $6 " " $7
		if (game != before) { finish(); before = game; cell = $1 "," $2; last = 0; lost = 0; status = "won"; turns = 0 }
		score[ply] = $5
		r = result[position]
		if (r == "" || r == "none") next
		now = (r == "win") == ($7 == side) ? "won" : "lost"
		if (now != status) turns++
		status = now
		if (lost) next
		if (now == "won") { last = ply; next }
		lost = ply; within = plies[position]
	}
	function finish(ply, move, moves) {
		if (!lost) return
		n[cell]++
		if (!(cell in cells)) { cells[cell] = ++count; name[count] = cell }
		if (turns > 1) again[cell]++
		depth[cell, n[cell]] = within
		for (ply = last + 1; ply <= lost; ply++)
			if ((ply % 2 == 1) == (cell ~ /^south/)) { moves++; move = ply }
		if (moves > 1) return
		placed[cell]++
		if (score[move] > 0) ahead[cell]++
		move = int((move + 1) / 2)
		at[cell, move > 4 ? 4 : move]++
	}
	function median(cell, i, j, x) {
		for (i = 2; i <= n[cell]; i++)
			for (j = i; j > 1 && depth[cell, j - 1] > depth[cell, j]; j--) {
				x = depth[cell, j]; depth[cell, j] = depth[cell, j - 1]; depth[cell, j - 1] = x
			}
		return depth[cell, int((n[cell] + 1) / 2)]
	}
	END {
		finish()
		print "winner,nodes,games,placed,move_1,move_2,move_3,later,thought_ahead,refuted_within,given_back"
		for (k = 1; k <= count; k++) {
			c = name[k]
			print c "," n[c] "," placed[c] "," at[c, 1] + 0 "," at[c, 2] + 0 "," at[c, 3] + 0 "," at[c, 4] + 0 "," \
				ahead[c] + 0 "," median(c) "," again[c] + 0
		}
	}' $games/positions.csv $games/lost.txt >$here/errors.csv
