package ratings

// Crosstable says who scored what against whom.
type Crosstable struct {
	// Names are all players, in the order and with the numbers (less one) of
	// the rating table.
	Names []string
	// counts holds each ordered pairing that met, from South's view.
	counts map[cell]Count
}

// Crosstable is the results of the games that r was fitted to, with those that
// were left out of the fit.
func (r *Ratings) Crosstable() *Crosstable {
	t := &Crosstable{Names: r.names(), counts: make(map[cell]Count)}
	number := make(map[string]int, len(t.Names))
	for i, name := range t.Names {
		number[name] = i
	}
	for _, k := range r.meetings.met {
		a, b := number[r.meetings.names[k.a]], number[r.meetings.names[k.b]]
		t.counts[cell{a, b}] = k.count(0)
		t.counts[cell{b, a}] = k.count(1)
	}
	return t
}

// AsSouth counts the games that player i had as South against player j, as i
// saw them. The players are indices into Names.
func (t *Crosstable) AsSouth(i, j int) Count { return t.counts[cell{i, j}] }

// Total counts all games of player i against player j, as i saw them.
func (t *Crosstable) Total(i, j int) Count { return t.AsSouth(i, j).plus(t.AsSouth(j, i).flip()) }
