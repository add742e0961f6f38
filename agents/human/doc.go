// Package human is the agent that asks a person at the terminal. It also draws
// the board for people.
package human
