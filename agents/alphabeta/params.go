package alphabeta

import "gyges/agents"

// param is a tunable number of the search. A new one is a constant here and its
// row in paramTable, which the spec parser, `gyges agents` and SPSA read.
type param int

const (
	selective param = iota
	lmpMoveCount
	lmrFullDepthMoves
	lmrSecondThreshold
	numParams
)

var paramTable = [numParams]agents.ParamDef{
	selective: {
		Name: "selective", Type: agents.Int, Default: "1", Min: 0, Max: 1,
		Doc: "1: late move pruning and late move reductions; 0: a plain full-width search",
	},
	lmpMoveCount: {
		Name: "lmp_move_count", Type: agents.Int, Default: "60", Min: 1, Max: 10000,
		Doc: "late move pruning: moves searched at depth 1",
	},
	lmrFullDepthMoves: {
		Name: "lmr_full_depth_moves", Type: agents.Int, Default: "4", Min: 1, Max: 10000,
		Doc: "late move reductions: moves of a node searched to the full depth",
	},
	lmrSecondThreshold: {
		Name: "lmr_second_threshold", Type: agents.Int, Default: "20", Min: 1, Max: 10000,
		Doc: "late move reductions: moves before the reduction is 2 plies; after 4 times as many it is 3",
	},
}

// params are the values of the tunable numbers.
type params [numParams]int

func paramsOf(v agents.Values) (p params) {
	for i, def := range paramTable {
		p[i] = v.Int(def.Name)
	}
	return p
}
