package queue

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"gyges/agents"
	"gyges/rules"
	"gyges/tournament"
	"gyges/tournament/queue/status"
	"gyges/tournament/record"
)

// description is what the jobs of a run have in common.
type runConfig struct {
	Version string `json:"version"` // of the program, see Options

	Rules  []string `json:"rules"`
	Agents []string `json:"agents"`

	Format tournament.Format `json:"schedule,omitempty"` // which says how many agents there may be
	Rounds int               `json:"rounds,omitempty"`

	Openings     openings      `json:"openings"`
	Limits       agents.Limits `json:"limits"`
	Clock        clock         `json:"clock"`
	TimeMargin   time.Duration `json:"time_margin"`
	Adjudication string        `json:"adjudication,omitempty"`
	OnRepetition string        `json:"on_repetition,omitempty"`
	StallTimeout time.Duration `json:"stall_timeout"`
	Seed         uint64        `json:"seed,string"`

	TimeScaling TimeScaling `json:"time_scaling"`
	Speed       float64     `json:"speed"` // of the machine that times are meant for
	Tries       int         `json:"tries"` // after which a job is dead-lettered

	Files map[string]string `json:"files,omitempty"` // by what specs call them: the hashes of their contents
}

type openings struct {
	Policy    tournament.Policy `json:"policy"`
	Plies     int               `json:"plies,omitempty"`
	File      string            `json:"file,omitempty"`
	Positions []string          `json:"positions,omitempty"`
}

type clock struct {
	Base      time.Duration `json:"base,omitempty"`
	Increment time.Duration `json:"increment,omitempty"`
}

// describe puts a config on the wire. What only the coordinator needs, such as the
// number of pairs, is not in it.
func describe(c *tournament.Config, o *Options) *runConfig {
	d := &runConfig{
		Version: o.Version, Format: c.Format, Rounds: c.Rounds,
		Openings: openings(c.Openings), Limits: c.Limits, Clock: clock(c.Clock), TimeMargin: c.TimeMargin,
		Adjudication: c.Adjudication.String(), OnRepetition: string(c.OnRepetition), StallTimeout: c.StallTimeout, Seed: c.Seed,
		TimeScaling: o.TimeScaling, Tries: o.Tries,
	}
	if isTimed(c, o.Registry) && o.Speed != nil {
		d.Speed = o.Speed()
	}
	for _, r := range c.Rules {
		d.Rules = append(d.Rules, r.String())
	}
	for _, a := range c.Agents {
		d.Agents = append(d.Agents, a.String())
	}
	return d
}

// config reads the config back. Only its texts have been looked at.
func (d *runConfig) config() (tournament.Config, error) {
	c := tournament.DefaultConfig()
	c.Rules, c.Agents = nil, nil
	c.Openings, c.Limits, c.Clock = tournament.Openings(d.Openings), d.Limits, tournament.Clock(d.Clock)
	c.TimeMargin, c.Format, c.Rounds = d.TimeMargin, d.Format, d.Rounds
	c.OnRepetition, c.StallTimeout, c.Seed = agents.OnRepetition(d.OnRepetition), d.StallTimeout, d.Seed
	var err error
	c.Adjudication, err = tournament.ParseAdjudication(d.Adjudication)
	errs := []error{err}
	for _, text := range d.Rules {
		r, err := rules.Parse(text)
		errs = append(errs, err)
		c.Rules = append(c.Rules, r)
	}
	for _, text := range d.Agents {
		spec, err := agents.ParseSpec(text)
		errs = append(errs, err)
		c.Agents = append(c.Agents, spec)
	}
	if d.Tries < 1 || d.Speed < 0 || !d.TimeScaling.valid() {
		errs = append(errs, fmt.Errorf("expected tries, a speed and a time scaling, found %d, %v, %.20q", d.Tries, d.Speed, d.TimeScaling))
	}
	return c, errors.Join(errs...)
}

// digest names a content.
func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// objectName is the name of a content in the object store. Each run has its own,
// so that it can be thrown away with the run.
func objectName(run, digest string) string { return run + "/" + digest }

// job is what a worker gets.
type job struct {
	tournament.Job
	Config string `json:"config"`          // the digest of the run's description
	Tries  int    `json:"tries,omitempty"` // that this is the continuation of: see Worker.isolate
}

// announcement says that a run wants workers.
type announcement struct {
	Run     string `json:"run"`
	Config  string `json:"config"` // the digest of its description
	Version string `json:"version"`
	Ended   bool   `json:"ended,omitempty"`
}

// maxText bounds small messages from outside.
const maxText = 1 << 20

func (a *announcement) parse(text []byte) error {
	if err := parseStrictly(text, a); err != nil {
		return err
	}
	if !isToken(a.Run) || !isToken(a.Config) {
		return fmt.Errorf("expected a run and its config, found %.80q and %.80q", a.Run, a.Config)
	}
	return nil
}

func parseStrictly(text []byte, to any) error {
	if len(text) > maxText {
		return fmt.Errorf("expected at most %d bytes, found %d", maxText, len(text))
	}
	return strictly(text, to)
}

// strictly reads JSON of any length and takes no unknown keys.
func strictly(text []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(to)
}

// isToken reports whether a text can stand in a subject and in a file's name.
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

// workerReport is the state of a worker.
type workerReport struct {
	ID string `json:"id"`
	status.Worker

	Refused map[string]string `json:"refused,omitempty"` // reasons, by runs it doesn't play for
	Gone    bool              `json:"gone,omitempty"`    // it stops
}

// parseGames reads records, two at most.
func parseGames(text []byte, source string) ([]*record.Game, error) {
	var games []*record.Game
	for r := record.NewReader(bytes.NewReader(text), source); ; {
		g, err := r.Read()
		if errors.Is(err, io.EOF) {
			return games, nil
		}
		if err != nil {
			return nil, err
		}
		if games = append(games, g); len(games) > 2 {
			return nil, fmt.Errorf("%s: expected a pair of games, found more", source)
		}
	}
}

// Names on the server.
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
