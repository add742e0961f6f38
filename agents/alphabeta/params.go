package alphabeta

import "time"

// config holds the parameters of an agent.
type config struct {
	Depth    int           `param:"depth" min:"1" max:"64" doc:"plies to search; 2 if neither nodes nor movetime bounds the search"`
	Nodes    int64         `param:"nodes" min:"1" max:"1e12" doc:"nodes to search for a move"`
	MoveTime time.Duration `param:"movetime" min:"0.001" max:"3600" doc:"time for a move"`
	Hash     int           `param:"hash" default:"16" min:"1" max:"4096" doc:"size of the transposition table in MB; the evaluation cache takes half as much again"`
	Threads  int           `param:"threads" default:"1" min:"1" max:"64" doc:"threads of one search; with more than one, moves may differ from run to run"`
	params
}

// params holds the tunable numbers of the search. A new one is a field here: the
// spec parser, `gyges agents` and SPSA read its tags.
type params struct {
	Selective          int `param:"selective" default:"1" min:"0" max:"1" doc:"1: late move pruning and late move reductions; 0: a plain full-width search"`
	LMPMoveCount       int `param:"lmp_move_count" default:"60" min:"1" max:"10000" doc:"late move pruning: moves searched at depth 1"`
	LMRFullDepthMoves  int `param:"lmr_full_depth_moves" default:"4" min:"1" max:"10000" doc:"late move reductions: moves of a node searched to the full depth"`
	LMRSecondThreshold int `param:"lmr_second_threshold" default:"20" min:"1" max:"10000" doc:"late move reductions: moves before the reduction is 2 plies; after 4 times as many it is 3"`
}
