package ratings

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"gyges/rules/base/textfmt"
)

// Worker is what one machine played of a queued run, and whether its results differ from those of the others.
type Worker struct {
	Name       string
	Games      int
	TimeLosses int // of all players
	HostLosses int // of these, while the machine was overloaded or suspended
	Faults     int // other ones

	Pairs     int     // that were compared with those of the others between the same players under the same rules
	ChiSquare float64 // of the pairs' results, by points
	Degrees   int     // of freedom; 0: too few pairs
	Z         float64 // standard deviations by which the score of Player is off, of all players the most; NaN: unknown
	Player    string

	// P is how likely any of so many workers that are alike would have such a ChiSquare or Z, whichever is less likely;
	// NaN: unknown.
	P       float64
	Outlier bool // P is less than 0.01
}

const (
	outlierP       = 0.01
	maxWorkers     = 256 // that are counted apart
	maxWorkerName  = 100 // bytes
	fewestCompared = 20  // of a worker, and of the others, that are compared
	fewestExpected = 10  // pairs in a class of the chi-square
)

// Workers counts the games of queued runs by the workers that played them. The zero value is empty.
type Workers struct {
	list     []Worker
	pairings []workerPairing
	known    map[[3]string]int // indices in pairings, by rules and players
}

// workerPairing is the pairs of games between two players under a rule set: of each worker, by the half points of a.
type workerPairing struct {
	a, b   string
	scores map[int][5]float64
}

// Add counts a game of a worker. A fault may have decided it, a loss on time or another one; host: the machine has a
// part in it.
func (w *Workers) Add(name string, fault, timeout, host bool) {
	x := &w.list[w.index(name)]
	x.Games++
	switch {
	case timeout:
		x.TimeLosses++
	case fault:
		x.Faults++
	}
	if host {
		x.HostLosses++
	}
}

// AddPair counts a pair of games of a worker by their results; a had South in the first.
func (w *Workers) AddPair(name, rules, a, b string, first, second Result) {
	points := 2 + int(first-second)
	if a > b {
		a, b, points = b, a, 4-points
	}
	i, key := w.index(name), [3]string{rules, a, b}
	if w.known == nil {
		w.known = map[[3]string]int{}
	}
	k, ok := w.known[key]
	if !ok {
		k = len(w.pairings)
		w.known[key], w.pairings = k, append(w.pairings, workerPairing{a, b, map[int][5]float64{}})
	}
	scores := w.pairings[k].scores[i]
	scores[points]++
	w.pairings[k].scores[i] = scores
}

// index returns the index of a worker in the list.
func (w *Workers) index(name string) int {
	name = textfmt.Cut(name, maxWorkerName)
	i := slices.IndexFunc(w.list, func(x Worker) bool { return x.Name == name })
	if i < 0 && len(w.list) == maxWorkers {
		i = maxWorkers - 1 // with others
	}
	if i < 0 {
		i = len(w.list)
		w.list = append(w.list, Worker{Name: name})
	}
	return i
}

// Table compares each worker with all others but the outliers, and returns them by name. Outliers are found one after
// another, the least likely first, as the others look odd beside it; of the last two that differ both are.
func (w *Workers) Table() []Worker {
	list := slices.Clone(w.list)
	for left := len(list); left > 0; left-- {
		least, p := -1, outlierP
		for i := range list {
			if list[i].Outlier {
				continue
			}
			if w.compare(list, i); list[i].P < p {
				least, p = i, list[i].P
			}
		}
		if least < 0 {
			break
		}
		for i := range list {
			list[i].Outlier = list[i].Outlier || i == least || left == 2
		}
	}
	slices.SortFunc(list, func(a, b Worker) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// compare computes how worker i differs from the others that are no outliers. If all are alike, its pairs are drawn at
// random from those of all, without replacement, which gives mean and variance of its score exactly.
func (w *Workers) compare(list []Worker, i int) {
	x, others := &list[i], 0.0
	x.Pairs, x.ChiSquare, x.Degrees, x.Z, x.P, x.Player = 0, 0, 0, math.NaN(), math.NaN(), ""
	excess, variance := map[string]float64{}, map[string]float64{}
	for _, p := range w.pairings {
		var all [5]float64
		for j, s := range p.scores {
			for points, n := range s {
				if !list[j].Outlier {
					all[points] += n
				}
			}
		}
		var n, of, sum, total, squares float64
		for points, c := range all {
			own, h := p.scores[i][points], float64(points)
			n, of, sum, total, squares = n+own, of+c, sum+h*own, total+h*c, squares+h*h*c
		}
		if n == 0 || n == of {
			continue
		}
		v := n * (of - n) / (of - 1) * (squares/of - total*total/of/of)
		for player, sign := range map[string]float64{p.a: 1, p.b: -1} {
			excess[player] += sign * (sum - n*total/of)
			variance[player] += v
		}
		x.Pairs, others = x.Pairs+int(n), others+of-n
		chi, degrees := chiSquareOf(p.scores[i], all, n/of)
		x.ChiSquare, x.Degrees = x.ChiSquare+chi, x.Degrees+degrees
	}
	if x.Pairs < fewestCompared || others < fewestCompared {
		x.Degrees = 0
		return
	}
	for player, v := range variance {
		z := excess[player] / math.Sqrt(v)
		if d := math.Abs(z) - math.Abs(x.Z); v > 0 && !(d < 0) && (d != 0 || player < x.Player) {
			x.Z, x.Player = z, player
		}
	}
	x.P = x.adjusted(len(list), len(variance))
}

// chiSquareOf compares the pairs of a worker, who has a share of all, with those of the others by points. Neighbouring
// classes are pooled until enough pairs are expected in each.
func chiSquareOf(own, all [5]float64, share float64) (chi float64, degrees int) {
	var classes [][2]float64 // own, all
	var c [2]float64
	for points, n := range all {
		c[0], c[1] = c[0]+own[points], c[1]+n
		if min(share, 1-share)*c[1] >= fewestExpected {
			classes, c = append(classes, c), [2]float64{}
		}
	}
	if len(classes) < 2 {
		return 0, 0
	}
	last := &classes[len(classes)-1]
	last[0], last[1] = last[0]+c[0], last[1]+c[1]
	for _, c := range classes {
		d := c[0] - share*c[1]
		chi += d * d / (share * (1 - share) * c[1]) // (observed-expected)²/expected of the worker and of the others
	}
	return chi, len(classes) - 1
}

// adjusted returns the less likely of both figures' probabilities, times the number of comparisons: two of each worker,
// or of two workers with each other; and of the scores of all players, where those of two are one.
func (x *Worker) adjusted(workers, players int) float64 {
	if players == 2 {
		players = 1
	}
	if workers == 2 {
		workers = 1
	}
	p := math.Inf(1)
	if x.Degrees > 0 {
		p = distuv.ChiSquared{K: float64(x.Degrees)}.Survival(x.ChiSquare)
	}
	if !math.IsNaN(x.Z) {
		p = min(p, float64(2*players)*distuv.UnitNormal.Survival(math.Abs(x.Z)))
	}
	if math.IsInf(p, 1) {
		return math.NaN()
	}
	return min(float64(2*workers)*p, 1)
}
