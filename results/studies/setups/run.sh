#!/bin/sh
# Repeats the study from the games of ../first-move and the proofs of ../solved: seconds. Run it in the root of a clone,
# with gyges on the path.
set -e
here=results/studies/setups
for rules in standard simplified; do
	for nodes in 1000 10000; do
		gyges rate results/study-first-move/$rules-$nodes-* --crossed --by setup --format csv \
			>$here/$rules-$nodes.csv
	done
done

# The best and the worst first rows, by the best guess of what they are worth and its interval.
for rules in simplified standard; do
	awk -F, -v OFS=, -v rules=$rules '$2 == "South" && $3 != "" { print rules, $3, $9, $7 * sqrt($9 / $6) }' $here/$rules-1000.csv |
		sort -t, -k3,3nr | sed -n '1,3p; 46,48p'
done | sed '1i rules,row,elo,error' | gyges plot - --label rules,row --value elo --interval error --narrow \
	--unit "worth to South, Elo" --caption "The three best and the three worst of South's rows, by rules" --out $here/rows.svg

# The replies that each row of South is proven to win and to lose against, and the same of North's rows; a row and its
# mirror image are one.
awk -F, '
	function name(row, i, image) {
		for (i = 1; i <= 6; i++) image = substr(row, i, 1) image
		return image < row ? image : row
	}
	NR > 1 {
		split($2, part, "[/ ]")
		south = "South," name(part[1])
		north = "North," name(part[6])
		n[south]++
		n[north]++
		if ($3 == "win") { won[south]++; lost[north]++ }
		if ($3 == "loss") { won[north]++; lost[south]++ }
	}
	END { for (k in n) printf "%s,%d,%d,%d\n", k, won[k], lost[k], n[k] }' results/studies/solved/proofs.csv |
	sort | sed '1i side,row,won,lost,replies' >$here/proven.csv

# How the rows of the engines agree with it: the correlation of Elo with the share of replies that are won less those lost.
for nodes in 1000 10000; do
	awk -F, -v nodes=$nodes '
		NR == FNR { share[$1 "," $2] = ($3 - $4) / $5; next }
		FNR > 1 && $3 != "" {
			x = $6
			y = share[$2 "," $3]
			n[$2]++; sx[$2] += x; sy[$2] += y; xx[$2] += x * x; yy[$2] += y * y; xy[$2] += x * y
		}
		END {
			for (s in n) printf "%d,%s,%.2f\n", nodes, s,
				(n[s] * xy[s] - sx[s] * sy[s]) / sqrt((n[s] * xx[s] - sx[s] ^ 2) * (n[s] * yy[s] - sy[s] ^ 2))
		}' $here/proven.csv $here/simplified-$nodes.csv
done | sort | sed '1i nodes,side,correlation' >$here/agreement.csv
