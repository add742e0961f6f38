package queue

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// What the server knows things by.
const (
	jobStream    = "GYGES_JOBS"
	resultStream = "GYGES_RESULTS"
	bucket       = "gyges"

	jobSubject      = "gyges.job"    // .RUN.PAIR
	resultSubject   = "gyges.result" // .RUN.PAIR
	announceSubject = "gyges.run"
	workerSubject   = "gyges.worker" // .ID

	workerHeader = "Gyges-Worker" // the machine that played
	errorHeader  = "Gyges-Error"  // why the pair can't be played
	objectHeader = "Gyges-Object" // where the games are, as they are too long for a message
)

// What is left behind by a coordinator that never comes back is thrown away.
const (
	keepMessages = 7 * 24 * time.Hour
	keepObjects  = 30 * 24 * time.Hour
)

// dedupeTime is how long the server remembers the ids of messages. Those that come
// later are known by their pair.
const dedupeTime = 2 * time.Minute

func jobsOf(run string) string    { return jobSubject + "." + run }
func resultsOf(run string) string { return resultSubject + "." + run }

// subjectOf returns the subject of a pair's job or result.
func subjectOf(prefix string, pair int64) string {
	return prefix + "." + strconv.FormatInt(pair, 10)
}

// pairOf returns the pair that a subject ends with.
func pairOf(subject string) (int64, error) {
	pair, err := strconv.ParseInt(subject[strings.LastIndexByte(subject, '.')+1:], 10, 64)
	if err != nil || pair < 0 {
		return 0, fmt.Errorf("expected a subject that ends with the number of a pair, found %.100q", subject)
	}
	return pair, nil
}

// setUp makes what the server lacks. What is there stays as it is, since others
// use it.
func setUp(ctx context.Context, js jetstream.JetStream, replicas int) (jetstream.ObjectStore, error) {
	for name, subject := range map[string]string{jobStream: jobSubject, resultStream: resultSubject} {
		_, err := js.Stream(ctx, name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			_, err = js.CreateStream(ctx, jetstream.StreamConfig{
				Name: name, Subjects: []string{subject + ".*.*"}, Retention: jetstream.WorkQueuePolicy,
				Storage: jetstream.FileStorage, Replicas: replicas, MaxAge: keepMessages, Duplicates: dedupeTime,
			})
		}
		if err != nil && !errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			return nil, fmt.Errorf("NATS stream %s: %w", name, err)
		}
	}
	objects, err := js.ObjectStore(ctx, bucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		objects, err = js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: bucket, TTL: keepObjects, Storage: jetstream.FileStorage, Replicas: replicas})
	}
	if err != nil {
		return nil, fmt.Errorf("NATS object store %s: %w", bucket, err)
	}
	return objects, nil
}
