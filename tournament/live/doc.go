// Package live serves pages over HTTP: runs as package report shows them, which
// change while a run goes on, and a page to play on.
//
// A run is followed by its files alone: whole lines that have come to its records
// are read now and then, and pages that are open get what changed by server-sent
// events. Whoever plays it needn't know.
//
// A game against an agent is one that package tournament plays: the person is an
// agent that waits for requests. So its record is like any other.
//
// Nothing that comes over the network is trusted. Names of runs lead to folders
// below those that the operator has named and nowhere else (see [os.Root]),
// requests must name the server by an address or a name of its own (against DNS
// rebinding) and change things from its own pages only, their size, rate and
// number are bounded, and so are games and searches.
package live
