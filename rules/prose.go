package rules

import "fmt"

// Section is a part of a rule set in prose.
type Section struct {
	Heading    string   `json:"heading"`
	Paragraphs []string `json:"paragraphs"`
}

// Prose returns the rules of the game under these options in English, complete
// enough to play by.
func (o Options) Prose() []Section {
	return []Section{
		{"The game", o.proseGame()},
		{"Before play", o.proseSetup()},
		{"Which piece moves", o.proseSources()},
		{"How it moves", o.proseCourse()},
		{"Landing on a piece", o.proseLanding()},
		{"The far side", o.proseFarSide()},
		{"What a turn may not do", o.proseForbidden()},
		{"A draw", o.proseDraw()},
	}
}

// pick returns the first text if yes, else the second.
func pick(yes bool, first, second string) string {
	if yes {
		return first
	}
	return second
}

func (o Options) proseGame() []string {
	aim := "South wins by bringing a piece beyond row 6, North by bringing one beyond row 1."
	if o.Kang {
		aim = "South takes pieces off the board beyond row 6, North beyond row 1. Each piece taken out is a goal; " +
			pick(o.KangGoals == 1, "the first goal wins.", fmt.Sprintf("the first player with %d goals wins.", o.KangGoals))
	}
	return []string{
		"Two players, South and North, play on a board of 6 by 6 squares: files a to f from South's left, rows 1 to 6 " +
			"from South's side. There are twelve pieces, four each of height 1, 2 and 3. Nobody owns them.",
		aim,
	}
}

func (o Options) proseSetup() []string {
	if o.Kang {
		return []string{"The board is empty. Each player holds two pieces of each height. South moves first."}
	}
	order := "South places all of his, then North,"
	if o.SetupOrder == Alternate {
		order = "They place them in turn, one piece at a time, South first,"
	}
	zone := "empty squares of the player's first row"
	if o.SetupZone == TwoRows {
		zone = "any empty squares of the player's first two rows"
	}
	return []string{
		"Each player takes two pieces of each height. " + order + " on " + zone +
			". The two sides need not mirror each other. South moves first.",
	}
}

func (o Options) proseSources() []string {
	blocked := "If no piece of that row has a legal move, the next occupied row is his active row, and so on. " +
		"A player passes only if he has no legal move."
	if o.BlockedRow == PassIfStop {
		blocked = "If no piece of that row has a legal move" +
			pick(o.Kang && o.KangEntry == Optional, " and no piece can enter", "") + ", he passes."
	}
	list := []string{
		"A player's active row is the occupied row nearest to him. On his turn he moves one piece of it, " +
			"whoever moved that piece before. " + blocked,
	}
	if !o.Kang {
		return list
	}
	entering := "While a player holds pieces he brings one in instead of moving one on the board. If none can enter, " +
		pick(o.BlockedRow == NextRow, "he moves on the board.", "he passes.")
	if o.KangEntry == Optional {
		entering = "A player who holds pieces may bring one in instead of moving one on the board. " +
			"That a piece can enter does not change which row is active."
	}
	return append(list, entering+" A piece enters by a step onto any square of his own first row. "+
		"That is step 1 of its first leg; from there it moves like any other piece.")
}

func (o Options) proseCourse() []string {
	doors := "No door is used twice in one turn, in either direction. A square may be crossed again by other doors."
	switch o.DoorRule {
	case Directed:
		doors = "No door is used twice in the same direction in one turn. A square may be crossed again if it is " +
			"entered or left in another direction."
	case PerLeg:
		doors = "No door is used twice in one leg, in either direction. All doors are open again for the next leg."
	}
	return []string{
		"A piece of height h makes a leg of exactly h steps, each to the next square along a row or a file. It may turn " +
			"at every step. Every square of the leg but the last must be empty; the square on which the piece began " +
			"its turn counts as empty.",
		"A door is the edge between two squares. " + doors,
		"A leg that ends on an empty square ends the turn.",
	}
}

func (o Options) proseLanding() []string {
	bounce := "the moving piece makes another leg, of as many steps as the height of the piece that it landed on, " +
		"which stays where it is. Any number of bounces may follow one another"
	if o.RevisitPiece {
		bounce += ", several off one piece too if the doors allow it."
	} else {
		bounce += ", but no two off one piece."
	}
	if !o.Relocation {
		return []string{
			"A piece that ends a leg on another one bounces off it: " + bounce,
			"The turn is legal only if its last leg ends on an empty square or beyond the far row: no piece is displaced.",
		}
	}
	zone := "the opponent's first occupied row. That is judged once the moving piece has arrived."
	if o.DropZone == BehindPlayableRow {
		zone = "the row that the opponent can play: his first occupied row, or the next one if no piece of the first " +
			"could move, and so on; his first occupied row if none could. That is judged once the moving piece has " +
			"arrived, with the displaced piece off the board."
	}
	return []string{
		"A piece that ends a leg on another one either bounces off it or displaces it.",
		"Bounce: " + bounce,
		"Displacement: the moving piece takes the square, and the player puts the piece that stood there on any empty " +
			"square that is not behind " + zone + " The square that the moving piece left may be used. The turn is over.",
	}
}

func (o Options) proseFarSide() []string {
	if !o.Kang {
		return []string{
			"The goal lies one step beyond any square of the far row. It is reached by the last step of a leg only, " +
				"and never crossed. Nobody enters his own goal. A player who reaches the goal has won.",
		}
	}
	list := []string{
		"A piece leaves the board by one step beyond any square of the far row. That step must be the last one of a leg. " +
			"The piece goes to the opponent's hand. Nobody takes a piece out over his own side.",
	}
	if o.KangCooldown > 0 {
		list = append(list, "A player who took a piece out on his previous turn may not take one out on this turn. "+
			"A pass counts as a turn.")
	}
	return list
}

func (o Options) proseForbidden() []string {
	null := "A turn may leave the board as it was."
	if o.NullMove == ForbidNull {
		null = "A turn may not leave the board as it was: the piece may not end on its own square"
		if o.Relocation {
			null += ", nor a displaced piece of the same height be put there"
		}
		null += "."
	}
	repetition := "Positions may come back."
	position := "The position is what stands on the board, whoever is to move."
	if o.Kang {
		position = "The position is what stands on the board, the hands, the goals and who must wait, whoever is to move."
	}
	switch o.Repetition {
	case Superko:
		repetition = "A move may not bring back a position that has stood before in the game. " + position
	case Previous:
		repetition = "A move may not bring back the position that stood before the opponent's last turn. " + position
	}
	return []string{null, repetition, "No turn is given up while there is a legal move."}
}

func (o Options) proseDraw() []string {
	return []string{
		"Two passes in a row end the game as a draw.",
		fmt.Sprintf("So does turn %d, both players' turns counted. No rulebook says so; it ends games that would go on.",
			o.MaxPlies),
	}
}
