// Package queue lets many machines play one run: a [Pool] publishes its game
// pairs to NATS JetStream, a [Worker] anywhere takes them, plays them and
// publishes the games.
//
// Three things live on the server. The stream GYGES_JOBS holds the pairs to be
// played, under gyges.job.RUN.PAIR, until they are acknowledged. GYGES_RESULTS
// holds the games, under gyges.result.RUN.PAIR, until they are in the run's file.
// The object store gyges holds what a run's jobs have in common, its config and
// the files that its agents need, by the hash of their content. Coordinators
// announce their runs on gyges.run, every now and then; workers say how they are
// on gyges.worker.ID.
//
// Each pair is in the records exactly once. A worker acknowledges a job only when
// the server has its result, and the coordinator acknowledges a result only when
// it is in the file. Whatever dies in between, the server hands the job or the
// result out again; results are known by their pair, and a second one is dropped.
// A job that is being played, or waits for its turn on a worker, has its lease
// extended. One that has been handed out too often is dead-lettered: the worker that gets
// it next doesn't play it, but says so.
//
// While a run is played, its folder has a file workers.json, written anew every two
// seconds: who works, what is queued, and how fast it goes. At the end it stays,
// as ended, with the last that was known. Nothing reads it but people and the
// pages of package live, and it has no addresses and no credentials.
//
// What comes over the wire is data. A worker makes no agents but of the kinds, and
// starts no programs but the engines, that its own operator allowed.
package queue
