package sprt

import (
	"fmt"
	"math"
	"strings"

	"gyges/rules/base/problems"
	"gyges/rules/base/settings"
)

// Model is the meaning of the Elo of a test's bounds.
type Model string

// The models; see the package.
const (
	Logistic   Model = "logistic"
	Normalized Model = "normalized"
)

// maxElo bounds the Elo of hypotheses.
const maxElo = 200

// Test is a sequential test of elo0 against elo1. The zero value is no test.
type Test struct {
	Elo0, Elo1  float64 // strengths under the two hypotheses, -200 to 200, Elo0 < Elo1
	Alpha, Beta float64 // chance to accept H1 at elo0, and H0 at elo1; above 0 and below 0.5
	Model       Model
}

// Settings are the fields of a [Test], with the names of its values and of their flags.
type Settings struct {
	Elo0  float64 `yaml:"elo0" name:"elo0" placeholder:"ELO" help:"Strength under H0. Default: the run's, or 0."`
	Elo1  float64 `yaml:"elo1" name:"elo1" placeholder:"ELO" help:"Strength under H1. Default: the run's, or 5."`
	Alpha float64 `yaml:"alpha" name:"alpha" placeholder:"P" help:"Chance to accept H1 when H0 holds. Default: the run's, or 0.05."`
	Beta  float64 `yaml:"beta" name:"beta" placeholder:"P" help:"Chance to accept H0 when H1 holds. Default: the run's, or 0.05."`
	Model Model   `yaml:"model" name:"model" placeholder:"MODEL" choices:"normalized|logistic" help:"What Elo means: normalized or logistic. Default: the run's, or normalized."`
}

// Default returns the test for a gain that is worth keeping: 0 against 5 normalized Elo, wrong one
// time in twenty.
func Default() Test { return Test{Elo0: 0, Elo1: 5, Alpha: 0.05, Beta: 0.05, Model: Normalized} }

// Parse reads "elo0=0,elo1=5,alpha=0.05,beta=0.05,model=normalized"; what is left out has the value
// of [Default].
func Parse(text string) (Test, error) {
	t := Default()
	fields := settings.Fields((*Settings)(&t), "")
	seen := map[string]bool{}
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(part, "=")
		if seen[name] {
			return t, fmt.Errorf("%s is given twice", name)
		}
		seen[name] = true
		field := settings.Find(fields, name)
		if field == nil || field.SetTexts(value) != nil {
			const expected = "expected elo0=N, elo1=N, alpha=P, beta=P or model=M%s, found %.60q"
			return t, fmt.Errorf(expected, settings.ZeroHint(value), part)
		}
	}
	return t, t.Check()
}

// String prints the test as Parse reads it.
func (t Test) String() string {
	return fmt.Sprintf("elo0=%v,elo1=%v,alpha=%v,beta=%v,model=%s", t.Elo0, t.Elo1, t.Alpha, t.Beta,
		t.Model)
}

// UnmarshalText implements [encoding.TextUnmarshaler] by [Parse].
func (t *Test) UnmarshalText(text []byte) (err error) {
	*t, err = Parse(string(text))
	return err
}

// MarshalText implements [encoding.TextMarshaler] by [Test.String]; no test is an empty text.
func (t Test) MarshalText() ([]byte, error) {
	if t == (Test{}) {
		return nil, nil
	}
	return []byte(t.String()), nil
}

// Check returns what is wrong with the test's figures.
func (t Test) Check() error {
	var p problems.List
	inRange := -maxElo <= t.Elo0 && t.Elo1 <= maxElo
	p.Require(inRange && t.Elo0 < t.Elo1,
		"expected elo0 below elo1, both from %d to %d, found %v and %v", -maxElo, maxElo, t.Elo0,
		t.Elo1)
	p.Require(isErrorRate(t.Alpha), "expected alpha from 1e-9 to below 0.5, found %v", t.Alpha)
	p.Require(isErrorRate(t.Beta), "expected beta from 1e-9 to below 0.5, found %v", t.Beta)
	p.Require(t.Model == Logistic || t.Model == Normalized, "expected model %s or %s, found %.60q",
		Logistic, Normalized, t.Model)
	return p.Err()
}

func isErrorRate(p float64) bool { return 1e-9 <= p && p < 0.5 }

// Bounds returns the LLR at which H0 and H1 are accepted (Wald's approximation): at or below lower,
// at or above upper.
func (t Test) Bounds() (lower, upper float64) {
	return math.Log(t.Beta / (1 - t.Alpha)), math.Log((1 - t.Beta) / t.Alpha)
}

// Verdict is what a test has come to.
type Verdict string

// The verdicts.
const (
	Undecided Verdict = "undecided"
	AcceptH0  Verdict = "H0"      // no stronger than elo0
	AcceptH1  Verdict = "H1"      // at least as strong as elo1
	Stopped   Verdict = "stopped" // the run was stopped before: no test comes to it
)

// Verdict reports whether the counts decide the test.
func (t Test) Verdict(p Pairs) Verdict {
	lower, upper := t.Bounds()
	switch llr := t.LLR(p); {
	case llr <= lower:
		return AcceptH0
	case llr >= upper:
		return AcceptH1
	}
	return Undecided
}

// Facts returns in words what is known of a match that the test, if it isn't zero, may have
// stopped: the name of each figure, and its value. An estimate that is corrected for the stop is
// followed by the one that isn't.
func (t Test) Facts(p Pairs) [][2]string {
	var list facts
	e := t.Estimate(p)
	list.add("Elo", "%s", e.EloText())
	list.add("Normalized Elo", "%s", e.text(e.Normalized))
	list.add("LOS", "%s", e.losText())
	if e.Corrected {
		raw := p.Estimate()
		list.add("Uncorrected", "Elo %s, normalized %s, LOS %s; biased by the stop", raw.EloText(),
			raw.text(raw.Normalized), raw.losText())
	}
	list.add("Pairs", "%d: %v (0, ½, 1, 1½, 2 points)", p.N(), p)
	if t == (Test{}) {
		return list
	}
	if !e.Corrected {
		list.add("Estimates", "those of a match of fixed length")
	}
	lower, upper := t.Bounds()
	list.add("LLR", "%.4f", t.LLR(p))
	list.add("Bounds", "%.4f %.4f (elo %v against %v, %s; alpha %v, beta %v)", lower, upper,
		t.Elo0, t.Elo1, t.Model, t.Alpha, t.Beta)
	list.add("Result", "%s", t.Result(p))
	return list
}

type facts [][2]string

func (f *facts) add(name, format string, values ...any) {
	*f = append(*f, [2]string{name, fmt.Sprintf(format, values...)})
}

// Result says what the test has come to.
func (t Test) Result(p Pairs) string {
	switch t.Verdict(p) {
	case AcceptH0:
		return fmt.Sprintf("H0 accepted: elo0 = %v fits better", t.Elo0)
	case AcceptH1:
		return fmt.Sprintf("H1 accepted: elo1 = %v fits better", t.Elo1)
	}
	return "undecided"
}

// LLR returns the logarithm of the generalised likelihood ratio of H1 to H0; 0 without pairs.
func (t Test) LLR(p Pairs) float64 {
	if p.N() == 0 {
		return 0
	}
	n, shares := p.shares()
	drift, _ := t.gains(shares).under(shares)
	return n * drift
}

// gains returns what a pair with each result adds to the LLR of pairs with these shares of results.
func (t Test) gains(shares distribution) (gains distribution) {
	p0, p1 := t.likeliest(shares, t.Elo0), t.likeliest(shares, t.Elo1)
	for i := range gains {
		gains[i] = math.Log(p1[i] / p0[i])
	}
	return gains
}

// likeliest returns the distribution of strength elo under which the shares seen are the likeliest.
func (t Test) likeliest(seen distribution, elo float64) distribution {
	if t.Model == Logistic {
		return seen.withMean(1 / (1 + math.Pow(10, -elo/400)))
	}
	return seen.withRatio(elo * pairUnits)
}
