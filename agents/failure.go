package agents

import (
	"errors"

	"gyges/rules/base/settings"
)

// ErrResigned is the error of Choose when the agent resigns, which loses the game and is no failure.
var ErrResigned = errors.New("resigned")

// FailureKind is the way in which an agent failed, and the reason of the game's end in records.
type FailureKind string

// The ways to fail. An error that is no [Failure] is an agent's internal error.
const (
	Crashed       FailureKind = "crash"    // its program could not be started, or exited
	TimedOut      FailureKind = "timeout"  // no answer in time
	BrokeProtocol FailureKind = "protocol" // a message that is malformed or out of turn
	BadMove       FailureKind = "illegal"  // a move that does not exist on any board
)

// Failure is an error with the way in which an agent failed.
type Failure struct {
	Kind FailureKind
	Err  error // the text for records and messages
}

// Error returns the error without its kind.
func (f *Failure) Error() string { return f.Err.Error() }

// Unwrap returns Err.
func (f *Failure) Unwrap() error { return f.Err }

// HostFailure is an error of the machine that the agent runs on, such as a lack of file descriptors or memory. It is no
// fault of the agent, so that the game under way has no result.
type HostFailure struct{ Err error }

// Error returns the error of the machine.
func (f *HostFailure) Error() string { return f.Err.Error() }

// Unwrap returns Err.
func (f *HostFailure) Unwrap() error { return f.Err }

// OnRepetition is what happens to a move that only the rules on repetition and null moves forbid. A program that
// receives positions without history can't apply those rules.
type OnRepetition string

// The policies. The zero value is the same as Forfeit.
const (
	Forfeit OnRepetition = "forfeit"  // it is an illegal move like any other
	AskNext OnRepetition = "ask-next" // an agent with a second choice plays that; else as Forfeit
	Allow   OnRepetition = "allow"    // it is played
)

// Choices lists the policies.
func (OnRepetition) Choices() []settings.Choice {
	return []settings.Choice{
		{Name: string(Forfeit), Doc: "the game"},
		{Name: string(AskNext), Doc: "an external engine's choice before"},
		{Name: string(Allow)},
	}
}
