// Package queue plays one run on many machines: a [Coordinator] publishes its game
// pairs to NATS JetStream; each [Worker] fetches pairs, plays them and publishes
// the games.
//
// The server stores three things. The stream GYGES_JOBS holds the pairs to be
// played, under gyges.job.RUN.PAIR, until they are acknowledged. GYGES_RESULTS
// holds the games, under gyges.result.RUN.PAIR, until they are in the run's file.
// The object store gyges holds what a run's jobs have in common, its config and
// the files that its agents need, by the hash of their content. Once a second a coordinator
// asks all workers for their state, on gyges.run; the question tells them of the run, and they
// answer with what they do and the games under way of its first pairs, so that the run's folder has
// a [tournament.PlayingFile]. Workers are a NATS service, which "nats micro" lists.
//
// Each pair is in the records exactly once. A worker acknowledges a job only when
// the server has its result, and the coordinator acknowledges a result only when
// it is in the file. After any crash in between, the server redelivers the job or the
// result; results are identified by their pair, and a second one is dropped. The lease
// of a job that is being played, or is prefetched, is extended. From the third delivery
// on a pair is played alone on its worker, and each such start is counted in the object
// store: a pair that has lost its worker too often is dead-lettered, by a result with an
// error.
//
// While a run is played, its folder has a file workers.json, written anew every
// second: workers, queue and speed. It stays after the end of the run, marked as
// ended. It is for display (package live), and has no addresses or credentials.
//
// Messages are data. A worker makes only agents of the kinds, and starts only the
// engines, that its own operator allowed.
//
// Where to begin: coordinator.go, run.go and results.go (one run), workers.go (what is known of
// workers); worker.go, subscription.go (runs that it plays for) and jobs.go (pairs); wire.go
// (subjects and messages), server.go (the embedded server); package status has workers.json.
package queue
