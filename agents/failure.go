package agents

// FailureKind says in what way an agent failed. It is also the reason of the
// game's end in records.
type FailureKind string

// The ways to fail. An error that is no [Failure] is the agent's in general.
const (
	Crashed       FailureKind = "crash"    // its program could not be started, or ended
	TimedOut      FailureKind = "timeout"  // it gave no answer in time
	BrokeProtocol FailureKind = "protocol" // it said what can't be understood or was not asked for
	BadMove       FailureKind = "illegal"  // it named a move that doesn't even exist
)

// Failure is an error that says in what way an agent failed.
type Failure struct {
	Kind FailureKind
	Err  error // what happened, for people
}

// Error returns what happened.
func (f *Failure) Error() string { return f.Err.Error() }

// Unwrap returns what happened.
func (f *Failure) Unwrap() error { return f.Err }

// HostFailure is an error of the machine that the agent runs on, such as a lack of
// file descriptors or memory. It is no fault of the agent, so that the game under
// way has no result.
type HostFailure struct{ Err error }

// Error returns what happened.
func (f *HostFailure) Error() string { return f.Err.Error() }

// Unwrap returns what happened.
func (f *HostFailure) Unwrap() error { return f.Err }

// Tracer is an agent that can tell what was said last between it and a program
// behind it, for the record of a game that a fault ended.
type Tracer interface {
	// Trace returns the last lines, bounded and with control characters escaped.
	Trace() []string
}

// OnRepetition is what happens to a move that only the rules on repetition and
// null moves forbid. Programs that are told positions but no history can't know
// those.
type OnRepetition string

// The policies. The zero value stands for Forfeit.
const (
	Forfeit OnRepetition = "forfeit"  // it is an illegal move like any other
	AskNext OnRepetition = "ask-next" // an agent that has another choice plays that; else it is an illegal move
	Allow   OnRepetition = "allow"    // it is played
)

// Valid reports whether o is one of the policies.
func (o OnRepetition) Valid() bool {
	return o == "" || o == Forfeit || o == AskNext || o == Allow
}
