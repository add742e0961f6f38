package report

// Page is all that a report shows, as plain data: every figure is a text
// already, and no text is escaped yet.
type Page struct {
	Title    string
	Lead     []string // the outcome in a few sentences
	Facts    []Fact
	Sections []Section
	Viewer   *Viewer // nil without games to look at
	Sampled  string  // which games the viewer holds; empty where no games were played
}

// Fact is a figure with its name.
type Fact struct{ Name, Value string }

// Section is a part of a page, with a place in its table of contents.
type Section struct {
	ID, Title string
	Blocks    []Block
}

// Block is one thing in a section: whichever of its fields is set.
type Block struct {
	Heading string // with ID, if others link to it
	ID      string
	Text    string
	List    []string
	Facts   []Fact
	Table   *Table
	Figure  *Figure
	Code    []string // command lines
	Details *Details
}

// Details is a long text that is folded away.
type Details struct{ Title, Text string }

// Table is a table whose first columns name its rows.
type Table struct {
	Caption string
	Header  []Head
	Rows    [][]Cell
	Class   string // "matrix" for one with a column for each player
}

// Head is the head of a column.
type Head struct {
	Text string
	Left bool   // words, not figures
	Tip  string // the whole, where Text is short
}

// Cell is a cell of a table.
type Cell struct {
	Text  string
	Note  string // what stands behind the figure, in words; shown when asked for and in print
	Small string // beside it, in print and in Markdown
	Link  string // fragment of the page with the games behind it
	Class string // of the heat map: h0 (all lost) to h8 (all won), or self
	Row   bool   // it names the row
}

func textBlock(text string) Block        { return Block{Text: text} }
func headingBlock(id, text string) Block { return Block{ID: id, Heading: text} }
func figureBlock(f Figure) Block         { return Block{Figure: &f} }
func tableBlock(t *Table) Block          { return Block{Table: t} }
func (s *Section) add(blocks ...Block)   { s.Blocks = append(s.Blocks, blocks...) }

func cell(text string) Cell         { return Cell{Text: text} }
func rowHead(text string) Cell      { return Cell{Text: text, Row: true} }
func linked(text, link string) Cell { return Cell{Text: text, Link: link} }
func (t *Table) row(cells ...Cell)  { t.Rows = append(t.Rows, cells) }

// heads are the heads of columns, of which the first so many hold words.
func heads(words int, texts ...string) []Head {
	list := make([]Head, len(texts))
	for i, text := range texts {
		list[i] = Head{Text: text, Left: i < words}
	}
	return list
}
