package alphabeta

import "time"

type config struct {
	Depth    int           `param:"depth" check:"1..64" help:"plies to search; 2 if neither nodes nor movetime bounds the search"`
	Nodes    int64         `param:"nodes" check:"1..1000000000000" help:"nodes to search for a move"`
	MoveTime time.Duration `param:"movetime" check:"1ms..1h" help:"time for a move"`
	Hash     int           `param:"hash" default:"4" check:"1..4096" help:"size of the transposition table in MB; the evaluation cache takes half as much again"`
	Threads  int           `param:"threads" default:"1" check:"1..64" help:"threads of one search; with more than one, moves may differ from run to run"`
	params
}

// params holds the tunable numbers of the search. A new one is a field here: the spec parser, `gyges agents` and SPSA
// read its tags. Scores are in hundredths of a point.
type params struct {
	Selective int `param:"selective" default:"1" check:"0..1" help:"1: a selective search, by the parameters below; 0: a plain full-width search"`

	RFPDepth  int `param:"rfp_depth" default:"5" check:"0..64" help:"reverse futility pruning: highest depth; 0: off"`
	RFPMargin int `param:"rfp_margin" default:"30" check:"0..20000" help:"reverse futility pruning: static score above beta for each ply of depth"`

	LMPMoveCount int `param:"lmp_move_count" default:"22" check:"1..10000" help:"late move pruning: moves searched at depth 1; 10000: off"`

	LMRFullDepthMoves int `param:"lmr_full_depth_moves" default:"4" check:"1..10000" help:"late move reductions: moves of a node searched to the full depth; 10000: off"`
	LMRBase           int `param:"lmr_base" default:"50" check:"0..1000" help:"late move reductions: reduction in hundredths of a ply, besides that by depth and move number"`
	LMRDivisor        int `param:"lmr_divisor" default:"140" check:"1..10000" help:"late move reductions: hundredths of what ln(depth) * ln(move number) is divided by"`
	LMRPV             int `param:"lmr_pv" default:"45" check:"0..1000" help:"late move reductions: hundredths of a ply less at PV nodes"`
	LMRCut            int `param:"lmr_cut" default:"25" check:"0..1000" help:"late move reductions: hundredths of a ply more at cut nodes"`
	LMRNotImproving   int `param:"lmr_not_improving" default:"30" check:"0..1000" help:"late move reductions: hundredths of a ply more where the static score is no better than before the side's previous move"`
	LMRGap            int `param:"lmr_gap" default:"20" check:"0..1000" help:"late move reductions: hundredths of a ply more for each point by which the static score after the move is below alpha"`

	EvaluatedMoves int `param:"evaluated_moves" default:"15" check:"0..10000" help:"move ordering: moves evaluated for each ply of depth above 1; 10000: all"`
	PolicyWeight   int `param:"policy_weight" default:"30" check:"0..10000" help:"move ordering: weight of the policy against history; 0: history alone"`
}
