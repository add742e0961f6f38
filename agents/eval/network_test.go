package eval

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gyges/agents/eval/inputs"
	"gyges/agents/internal/agenttest"
	"gyges/rules"
	"gyges/rules/base/problems"
)

// randomNetwork returns a network of numbers drawn from all that are allowed, so that many units
// are at their bounds.
func randomNetwork(rng *rand.Rand) *Network {
	n := &Network{}
	draw := func(most int) int16 { return int16(rng.IntN(2*most+1) - most) }
	for k := range HiddenUnits {
		n.B1[k], n.W2[k] = draw(MaxB1), draw(32767)
	}
	most := []int{20, 100, MaxW1}[rng.IntN(3)]
	for i := range n.W1 {
		for k := range HiddenUnits {
			n.W1[i][k] = draw(most)
		}
	}
	return n
}

// slowInputs finds the inputs of p by their names, from the lists of moves.
func slowInputs(own, opp reached, p rules.Position) map[string]bool {
	on := map[string]bool{}
	side := p.Side()
	for s := range rules.Square(rules.NumSquares) {
		at := s
		if side == rules.North {
			at = rules.NumSquares - 1 - s
		}
		what := [4]string{"empty", "1", "2", "3"}[p.At(at)]
		o, t := own.pieces[at], opp.pieces[at]
		if p.At(at) == 0 {
			o, t = own.ends[at], opp.ends[at]
		}
		who := "none"
		switch {
		case o && t:
			who = "both"
		case o:
			who = "own"
		case t:
			who = "opp"
		}
		if what != "empty" || who != "none" {
			on[what+" "+who+" "+s.String()] = true
		}
	}
	count := func(what string, x, most int) {
		if x > 0 {
			on[what+" "+string(rune('0'+min(x, most)))] = true
		}
	}
	for who, c := range map[string]reached{"own": own, "opp": opp} {
		s := side
		if who == "opp" {
			s = side.Other()
		}
		count("winners "+who, c.winners, 3)
		count("active "+who, len(c.active(p)), 6)
		count("goals "+who, p.Goals(s), 7)
		for h := rules.Height(1); h <= 3; h++ {
			count("hand"+string(rune('0'+h))+" "+who, p.Hand(s, h), 4)
		}
		if p.TookOut(s) {
			on["wait "+who] = true
		}
		on["moves "+who+" "+strconv.Itoa(min(int(2*math.Log2(float64(1+c.moves))+1e-9), 23))] = true
	}
	return on
}

func TestInputsAgreeWithListsOfMoves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, p := drawPosition(t)
		own, opp := listMoves(t, r, p, p.Side()), listMoves(t, r, p, p.Side().Other())
		if own.moves == 0 || opp.moves == 0 {
			return // which row counts as active is no matter then
		}
		var f Vector
		var in inputs.List
		(&Evaluator{rules: r}).Extract(p, &f, &in)
		got := map[string]bool{}
		for _, i := range in.Active() {
			require.False(t, got[inputs.Names[i]])
			got[inputs.Names[i]] = true
		}
		require.Equal(t, slowInputs(own, opp, p), got)
	})
}

// The value is what the definition says, summed up one by one.
func TestNetworkValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, p := drawPosition(t)
		n := randomNetwork(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "network"), 0)))
		require.NoError(t, n.check())
		var f Vector
		var in inputs.List
		(&Evaluator{rules: r}).Extract(p, &f, &in)
		want := 0
		for k := range HiddenUnits {
			sum, mirrored := int(n.B1[k]), int(n.B1[k])
			for _, i := range in.Active() {
				sum += int(n.W1[i][k])
				mirrored += int(n.W1[inputs.Mirrored[i]][k])
			}
			want += int(n.W2[k]) * (min(max(sum, 0), QA) + min(max(mirrored, 0), QA))
		}
		require.Equal(t, want, int(n.pack().value(&in)))
	})
}

// A weights file with a network is read as it was written; faults are named.
func TestNetworkFile(t *testing.T) {
	w := Default(Standard)
	w.Network = randomNetwork(rand.New(rand.NewPCG(1, 2)))
	w.Network.W1[slices.Index(inputs.Names[:], "moves own 0")] = [HiddenUnits]int16{}
	var b bytes.Buffer
	require.NoError(t, w.Write(&b))
	text := b.String()
	got, err := Read(strings.NewReader(text), w.Source)
	require.NoError(t, err)
	require.True(t, w.Equal(&got))
	got.Network.W2[0]++
	require.False(t, w.Equal(&got))
	got.Network = nil
	require.False(t, w.Equal(&got))

	zeros := "[0" + strings.Repeat(",0", HiddenUnits-1) + "]"
	for fault, want := range map[string]string{
		`"moves own 1": ` + zeros + `, "moves own 1"`:  "network.inputs.moves own 1: given twice",
		`"moves own 24": ` + zeros + `, "moves own 1"`: `unknown input "moves own 24", did you mean one of "moves own 2", "moves own 4"`,
		`"moves own 1": [1,2], "x"`:                    "input moves own 1: expected 256 numbers, found 2",
		`"moves own 1": ` + strings.Replace(zeros, "0", "1.5", 1) +
			`, "x"`: "network: inputs.moves own 1[0]: expected a whole number",
		`"moves own 0": ` + strings.Replace(zeros, "0", "-601", 1) +
			`, "moves own 1"`: "input moves own 0: expected numbers from -600 to 600, found -601",
	} {
		_, err := Read(strings.NewReader(strings.Replace(text, `"moves own 1"`, fault, 1)), "x.json")
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "weights x.json:")
	}
	for _, c := range [][2]string{
		{`"network": {`, `"network": {"deep": 1,`}, {`"inputs": {`, `"inputs": [], "inpots": {`}, {`"bias": [`,
			`"bias": [1501,`}, {`"bias": [`, `"bias": [40000,`},
	} {
		_, err := Read(strings.NewReader(strings.Replace(text, c[0], c[1], 1)), "x.json")
		require.ErrorContains(t, err, "weights x.json:")
		require.ErrorContains(t, err, "network")
	}
}

// What is out of bounds has one error, however many numbers are.
func TestNetworkBounds(t *testing.T) {
	n := &Network{}
	for k := range HiddenUnits {
		n.B1[k], n.W1[5][k] = MaxB1+1, -MaxW1-1
	}
	require.Len(t, problems.Split(n.check()), 2)
}

// A mirrored position is worth the same.
func TestNetworkIsSymmetric(t *testing.T) {
	r := rules.MustParse("standard")
	e := &Evaluator{rules: r, network: randomNetwork(rand.New(rand.NewPCG(3, 4))).pack()}
	rng := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		p := agenttest.RandomGame(r, rng, rng.IntN(30)).Position()
		require.Equal(t, e.Score(p), e.Score(p.Mirror()))
	}
}

// A unit without inputs, or without an output, adds nothing that depends on the position.
func TestLiveUnits(t *testing.T) {
	n := &Network{}
	require.Zero(t, n.LiveUnits())
	n.W1[3][5], n.W2[5], n.W1[inputs.Num-1][7], n.W2[7] = 1, -1, -1, 1
	n.W1[0][8], n.W2[9], n.B1[9] = 1, 1, 1
	require.Equal(t, 2, n.LiveUnits())
}

// What is written lacks the units that add nothing, and evaluates all positions alike.
func TestWriteFoldsUnits(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	n := &Network{}
	for k := range 40 {
		n.B1[k], n.W2[k] = int16(rng.IntN(200)-100), int16(rng.IntN(3)-1)
		for i := range n.W1 {
			if k%4 > 0 {
				n.W1[i][k] = int16(rng.IntN(101) - 50)
			}
		}
	}
	about := Provenance{Method: "drawn"}
	w := Weights{Rules: Standard, Network: n, Provenance: about}
	var text bytes.Buffer
	require.NoError(t, w.Write(&text))
	again, err := Read(&text, "")
	require.NoError(t, err)
	require.NotEqual(t, n, again.Network)
	require.Equal(t, n.LiveUnits(), again.Network.LiveUnits())
	require.Zero(t, again.Network.W2[len(n.folded())])
	r := rules.MustParse("standard")
	for range 100 {
		p := agenttest.RandomGame(r, rng, rng.IntN(30)).Position()
		own, opp := r.Control(p, p.Side()), r.Control(p, p.Side().Other())
		var in inputs.List
		in.Extract(p, &own, &opp)
		require.Equal(t, n.pack().value(&in), again.Network.pack().value(&in))
	}
	empty := Weights{Rules: Standard, Network: &Network{}, Provenance: about}
	require.NoError(t, empty.Write(&text))
}
