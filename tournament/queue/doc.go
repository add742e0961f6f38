// Package queue plays one run on many machines: a [Coordinator] publishes its game pairs to NATS
// JetStream; each [Worker] fetches pairs, plays them and publishes the games.
//
// README.md, its manual, says what the server stores, why each pair is in the records exactly once,
// and what becomes of a lost worker, server or coordinator. Messages are data: a worker makes only
// agents of the kinds, and starts only the engines, that its own operator allowed.
//
// Where to begin: coordinator.go, run.go and results.go (one run), workers.go (what is known of
// workers); worker.go, subscription.go (runs that it plays for) and jobs.go (pairs); wire.go
// (subjects and messages), server.go (the embedded server); package status has workers.json.
package queue
