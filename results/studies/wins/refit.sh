#!/bin/sh
# Fits linear weights to games of alphabeta, all of them and without one group of inputs after the other, and plays
# those without against those with all, and the evaluation of the program, which has a network, too. run.sh runs it: $1
# is where games and weights go, $2 the game pairs of each match (200).
set -e
games=$1 pairs=${2:-200}
all="tempo only1 only2 only3 shared1 shared2 shared3 squares shared_squares mobility moves winners_own winners_opp"
all="$all front active near goals hand1 hand2 hand3 wait_own wait_opp"

# fit fits the weights of one rule set, but for some features.
fit() {
	rules=$1 name=$2 without=$3
	[ ! -e $games/$rules-$name/weights.json ] || return 0
	features=
	for feature in $all; do
		case " $without " in *" $feature "*) ;; *) features="$features, $feature" ;; esac
	done
	cat >$games/$rules-$name.yaml <<END
rules: $rules
data: $games/$rules-positions/positions
weights: zero
features: [${features#, }]
leaves: true
lambda: 0.5
l2: 0.000001
scale: 0.0085
END
	gyges tune texel $games/$rules-$name.yaml --out $games/$rules-$name
}
mkdir -p $games
for rules in standard simplified kang; do
	gyges selfplay --rules $rules --agent alphabeta:depth=3,hash=1 --pairs 2000 --seed 21 --validation 10 \
		--out $games/$rules-positions
	fit $rules all
	fit $rules no-mobility "mobility moves"
	fit $rules no-control-of-pieces "only1 only2 only3"
	fit $rules no-shared-pieces "shared1 shared2 shared3"
	fit $rules no-squares "squares shared_squares"
	fit $rules no-distance "near front active"
	set --
	for name in all no-mobility no-control-of-pieces no-shared-pieces no-squares no-distance; do
		set -- "$@" --agent alphabeta:nodes=2000,weights=$games/$rules-$name/weights.json,name=$name
	done
	gyges tournament --rules $rules --schedule gauntlet --openings random --pairs $pairs --seed 20 "$@" \
		--agent alphabeta:nodes=2000,policy_weight=0,name=network --out $games/$rules-refit
done
