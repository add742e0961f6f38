package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"gyges/agents"
	"gyges/rules/base/problems"
	"gyges/rules/base/strictjson"
	"gyges/tournament"
	"gyges/tournament/queue/status"
)

// runConfig is what the jobs of a run have in common.
type runConfig struct {
	Config    tournament.Config `json:"config"`    // without what only the coordinator needs
	Positions []string          `json:"positions"` // of a list of openings

	Version string            `json:"version"` // of the program, see Options
	Speed   float64           `json:"speed"`   // positions a second that times are meant for; 0: of any machine
	Files   map[string]string `json:"files"`   // hashes of the files' contents, by the files' names in specs

	// Engines are what the coordinator's external programs are, by their players' labels.
	Engines map[string]*agents.Program `json:"engines,omitempty"`
}

// newRunConfig returns what workers need of a config. The same config has the same text, whatever
// the number of pairs, so that a run that is extended keeps its name on the server.
func newRunConfig(c *tournament.Config, o *Options) *runConfig {
	// Positions of a list are no part of a config's text, so they are sent beside it.
	r := &runConfig{
		Config:    c.Completed(),
		Positions: c.Openings.Positions,
		Version:   o.Version,
		Files:     map[string]string{},
		Engines:   c.Engines,
	}
	// What only the coordinator needs has the same value in all runs.
	plain := tournament.DefaultConfig()
	r.Config.Name = plain.Name
	r.Config.Pairs = plain.Pairs
	r.Config.Workers = plain.Workers
	r.Config.Suspend = plain.Suspend
	r.Config.SPRT = plain.SPRT
	r.Config.UntilError = plain.UntilError
	// Measuring the speed takes a while, so it is done for clocks and move times alone.
	if o.Speed != nil && isTimed(c, o.Registry) {
		r.Speed = o.Speed()
	}
	return r
}

// config returns the tournament's config. Only its texts have been checked.
func (r *runConfig) config() (tournament.Config, error) {
	c := r.Config
	c.Openings.Positions = r.Positions
	return c, c.Unknown
}

// digest names a content by its hash, as runs name their files.
func digest(content []byte) string { return agents.Sum(content) }

// objectName returns the name of a run's content in the object store.
func objectName(run, name string) string { return run + "/" + name }

// job is a message with a pair that a worker is to play.
type job struct {
	tournament.Job
	Config string `json:"config"` // digest of the run's config
	Token  string `json:"token"`  // see [identity.token]
}

// runID identifies a run. A forged question differs in config or version.
type runID struct {
	Run     string `json:"run"`
	Config  string `json:"config"` // digest of the run's config
	Version string `json:"version"`
}

// question is what a coordinator tells all workers of its run, or of its end; they answer with a
// workerReport.
type question struct {
	runID
	Ended bool  `json:"ended,omitempty"`
	Below int64 `json:"below,omitempty"` // the games under way of pairs below it are asked for; 0: none

	// Games of the run that have been played, by all workers, and that are scheduled.
	Done      int64 `json:"done,omitempty"`
	Scheduled int64 `json:"scheduled,omitempty"`

	LeftOut []string `json:"left_out,omitempty"` // ids of workers that are to stop playing for the run
}

const tooOften = "too often" // the coordinator's answer to a start that came to nothing too often

const maxText = 1 << 20 // bytes of a small message from outside

// parse reads a question, and checks the parts of it that are used in subjects and names of files.
func (q *question) parse(text []byte) error {
	if err := strictjson.Unmarshal(text, maxText, q); err != nil {
		return err
	}
	if !isToken(q.Run) || !isToken(q.Config) {
		return fmt.Errorf("expected a run and its config, found %.80q and %.80q", q.Run, q.Config)
	}
	return nil
}

// isToken reports whether a text is valid in a subject and in a file's name.
var isToken = regexp.MustCompile(`^[a-zA-Z0-9]{1,64}$`).MatchString

// workerReport is a worker's answer to a question on a run.
type workerReport struct {
	status.Worker

	// Secret is known to the worker and to its coordinators. Its digest is the worker's id, so that
	// nobody else can send anything under that.
	Secret string `json:"secret"`

	Refused string          `json:"refused,omitempty"` // why it doesn't play for the run
	Playing json.RawMessage `json:"games,omitempty"`   // the games under way, as [tournament.ParsePlaying] reads them
}

// Names on the server.
const (
	jobStream    = "GYGES_JOBS"
	resultStream = "GYGES_RESULTS"
	longStream   = "GYGES_LONG"
	bucket       = "gyges"

	jobSubject    = "gyges.job"    // .RUN.PAIR
	resultSubject = "gyges.result" // .RUN.PAIR
	longSubject   = "gyges.long"   // .RUN.HASH: parts of games that are too long for a message
	startSubject  = "gyges.start"  // .RUN.PAIR, to the coordinator, of pairs that are played alone
	claimSubject  = "gyges.claim"  // .RUN, of coordinators
	runSubject    = "gyges.run"    // questions to workers

	serviceName    = "gyges-worker" // of the workers: "nats micro ls gyges-worker" lists them
	serviceVersion = "1.0.0"        // not the program's, which has a form of its own

	tokenHeader  = "Gyges-Token"  // of the job
	workerHeader = "Gyges-Worker" // the machine that played
	secretHeader = "Gyges-Secret" // of the worker there, see [workerReport]
	errorHeader  = "Gyges-Error"  // why the pair can't be played
	longHeader   = "Gyges-Long"   // hash of the games, if they are too long for a message
)

// streams has the prefix of each stream's subjects, whose next part is the run's name.
var streams = map[string]string{
	jobStream: jobSubject, resultStream: resultSubject, longStream: longSubject,
}

// The age at which the server removes what a lost coordinator left.
const (
	messageAge = 7 * 24 * time.Hour
	objectAge  = 30 * 24 * time.Hour
)

// subject joins the parts of a subject: what its messages are, the run, and a pair or a hash. The
// part "*" stands for any.
func subject(parts ...string) string { return strings.Join(parts, ".") }

// subjectOf returns the subject of a pair, and pairOf the pair of a subject; -1: it ends in none.
func subjectOf(prefix, run string, pair int64) string {
	return subject(prefix, run, strconv.FormatInt(pair, 10))
}

func pairOf(subject string) int64 {
	number := subject[strings.LastIndexByte(subject, '.')+1:]
	pair, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return -1
	}
	return pair
}

// setUp creates the streams and the object store that the server lacks. Others use the existing
// ones, which stay.
func setUp(ctx context.Context, js jetstream.JetStream) (jetstream.ObjectStore, error) {
	for name, prefix := range streams {
		retention := jetstream.WorkQueuePolicy
		if name == longStream { // whose messages are read without a consumer
			retention = jetstream.LimitsPolicy
		}
		// Users without the right to create streams may use those that are there.
		_, err := js.Stream(ctx, name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			_, err = js.CreateStream(ctx, jetstream.StreamConfig{
				Name:      name,
				Subjects:  []string{subject(prefix, "*", "*")},
				Retention: retention,
				Storage:   jetstream.FileStorage,
				MaxAge:    messageAge,
			})
		}
		// Another coordinator may have created it in between.
		if err != nil && !errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			return nil, fmt.Errorf("NATS stream %s: %w", name, err)
		}
	}
	objects, err := js.ObjectStore(ctx, bucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		objects, err = js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{
			Bucket: bucket, TTL: objectAge, Storage: jetstream.FileStorage,
		})
	}
	return objects, problems.Prefix("NATS object store "+bucket, err)
}

const slowLink = 100_000 // bytes a second at least at which objects are expected to arrive

// getObject reads an object of bounded size. Small ones time out early: a request lost with a
// connection has no answer.
func getObject(
	ctx context.Context, js jetstream.JetStream, name string, bound uint64,
) ([]byte, error) {
	// An object that is too large is refused. The size of another one says how long it may take.
	once, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	objects, err := js.ObjectStore(once, bucket)
	if err != nil {
		return nil, err
	}
	info, err := objects.GetInfo(once, name)
	if err != nil {
		return nil, err
	}
	if info.Size > bound {
		return nil, fmt.Errorf("object %s: expected at most %d bytes, found %d",
			name, bound, info.Size)
	}
	arrival := time.Duration(info.Size) * (time.Second / slowLink)
	all, cancelAll := context.WithTimeout(ctx, min(answerTime+arrival, setupTime))
	defer cancelAll()
	// The stream of an object store and the subject of an object's parts, as NATS names them
	// (ADR-20).
	return content(all, js, "OBJ_"+bucket, subject("$O", bucket, "C", info.NUID), bound)
}

// content returns what a stream's messages of a subject hold, of which it reads little more than
// bound bytes. It makes no consumer: who may do that can have messages sent to any subject.
func content(
	ctx context.Context, js jetstream.JetStream, name, subject string, bound uint64,
) (all []byte, err error) {
	stream, err := js.Stream(ctx, name)
	if err != nil {
		return nil, err
	}
	for next := uint64(1); uint64(len(all)) <= bound; {
		m, err := stream.GetMsg(ctx, next, jetstream.WithGetMsgSubject(subject))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			break // no more
		}
		if err != nil {
			return nil, err
		}
		all = append(all, m.Data...)
		next = m.Sequence + 1
	}
	return all, nil
}
