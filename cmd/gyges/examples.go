package main

// example is a command line, and what it is for.
type example struct{ command, doc string }

// examples are those that the help of commands shows, by their paths. A command without shows those of its subcommands.
var examples = map[string][]example{
	"gyges": {
		{"gyges moves '321123/000000/000000/000000/000000/321123 s'", ""},
		{"gyges play --south human --north greedy", "play a game yourself"},
		{"gyges tournament --agent random --agent greedy --pairs 20", "a tournament with ratings"},
	},
	"gyges play": {
		{"gyges play --south human --north greedy", "play South against the computer"},
		{"gyges play --south alphabeta:depth=2 --north mcts:iterations=200 --rules kang --seed 7", ""},
		{"gyges play --south human --north human --setup agents", "two people, who also place their pieces"},
		{"gyges play --south random --north greedy --quiet --position '202110/000330/000000/000200/000100/030123 n'", ""},
	},
	"gyges moves": {
		{"gyges moves '321123/000000/000000/000000/000000/321123 s'", ""},
		{"gyges moves --long --rules simplified '213132/000000/000000/000000/000000/112233 n'", ""},
		{"gyges moves --rules kang '000000/000000/000000/000000/000000/000000 s 222/222 0-0 -'", ""},
		{"gyges moves --set null_move=allow '213132/000000/000000/000000/000000/112233 s'", ""},
	},
	"gyges diagram": {
		{"gyges diagram '321123/000000/000000/000000/000000/321123 s'", ""},
		{"gyges diagram '321123/000000/000000/000000/000000/321123 s' 'c1-d1xe1@d3'", ""},
		{"gyges diagram --rules kang '000000/000000/000000/000000/000000/000000 s 222/222 0-0 -' +2-c2", ""},
		{"gyges diagram '321123/000000/000000/000000/000000/321123 s' --format svg > board.svg", ""},
	},
	"gyges rules": {
		{"gyges rules", "the presets, and where they differ from standard"},
		{"gyges rules kang", "the rules of one set in prose, its options, and where other presets differ"},
		{"gyges rules kang --format yaml > my-kang.yaml", "a file to change, for --rules my-kang.yaml"},
		{"gyges rules standard:null_move=allow,repetition=none --format json", ""},
	},
	"gyges levels": {
		{"gyges levels", ""},
		{"gyges play --south human --north casual", "play against one"},
	},
	"gyges agents": {
		{"gyges agents", "the kinds"},
		{"gyges agents alphabeta", "the parameters of one"},
		{"gyges agents --format json", "the parameters of all"},
		{"gyges play --south alphabeta:depth=3 --north random", "two specs in use"},
	},
	"gyges tournament": {
		{"gyges tournament configs/tournaments/quick.yaml", ""},
		{"gyges tournament --agent random --agent greedy --agent alphabeta:depth=2 --rules standard,kang --pairs 20",
			"no file needed"},
		{"gyges tournament configs/tournaments/quick.yaml --pairs 100 --seed 2 --out results/long", "a file, with changes"},
	},
	"gyges match": {
		{"gyges match alphabeta:depth=2 greedy --pairs 50", ""},
		{"gyges match alphabeta:depth=2 alphabeta:depth=1 --sprt elo0=0,elo1=20", "until the test is decided"},
	},
	"gyges openings": {
		{"gyges openings --count 5 --seed 7", ""},
		{"gyges openings --count 5 --agent alphabeta:depth=2 --max-score 0.5", "balanced openings, by that agent's score"},
	},
	"gyges games list": {
		{"gyges games results/quick-20260102-150405 --limit 20", ""},
		{"gyges games results/quick-20260102-150405 --agent greedy --result lost --rules kang", ""},
		{"gyges games results/quick-20260102-150405 --reason length,timeout --min-plies 100 --format csv", ""},
	},
	"gyges games show": {
		{"gyges games show results/quick-20260102-150405 17", ""},
		{"gyges games show results/quick-20260102-150405 17 --ply 12", "the board after ply 12"},
		{"gyges games show results/quick-20260102-150405 17 --format json", ""},
	},
	"gyges games stats": {
		{"gyges games stats results/quick-20260102-150405", ""},
		{"gyges games stats results/quick-20260102-150405 --reason goal --format csv > wins.csv", ""},
		{"gyges games stats results/quick-20260102-150405 --rules standard --compare turkish-advanced",
			"how often two rulebooks differ in one game"},
	},
	"gyges review": {
		{"gyges review results/quick-20260102-150405", "where each player loses its games"},
		{"gyges review results/quick-20260102-150405 --game 17", "one game, move by move"},
		{"gyges review results/quick-20260102-150405 --agent greedy --result lost", ""},
		{"gyges review game.pgn --nodes 200000 --format html > game.html", "a page to open or send"},
	},
	"gyges report": {
		{"gyges report results/quick-20260102-150405", "writes results/quick-20260102-150405/report.html"},
		{"gyges report results/* --rules kang --anchor random=0 -o kang.html", ""},
		{"gyges report results/gen1 results/gen2 results/gen3", "several runs on one page"},
	},
	"gyges serve": {
		{"gyges serve", "all runs below results, on http://127.0.0.1:8080/"},
		{"gyges serve /tmp/match --addr 127.0.0.1:0", ""},
		{"gyges serve --agent 'ugi:cmd=./engine,name=mine'", "play against your own engine"},
		{"gyges serve --addr 0.0.0.0:8080 --open", "for the whole network"},
		{"gyges serve --games 500 --searches 2", "many games at a time, on two cores"},
	},
	"gyges export": {
		{"gyges export results/quick-20260102-150405 -o quick.pgn", ""},
		{"gyges export results/quick-20260102-150405 --rules kang --format csv > kang.csv", ""},
		{"gyges export results/quick-20260102-150405 -o quick.parquet", "for pandas, Polars or DuckDB"},
	},
	"gyges import": {
		{"gyges import quick.pgn --out results/quick-again", ""},
		{"gyges import league.pgn --out results/league --strict", "anybody's games"},
	},
	"gyges rate": {
		{"gyges rate results/quick-20260102-150405", ""},
		{"gyges rate --rules kang --anchor random=0 results/*", "measured from the random player"},
		{"gyges rate games.pgn --draws davidson", "games of another program"},
		{"gyges rate games.pgn --columns name,elo,error,difference,los", ""},
		{"gyges rate results/setups --by setup --per-side", "rows of pieces, as South's and as North's"},
		{"gyges rate --format csv --crosstable results/*/games.jsonl", ""},
	},
	"gyges sprt": {
		{"gyges sprt --penta 365,16618,36229,16974,390 --elo0 0 --elo1 2 --model normalized", ""},
		{"gyges sprt --penta 223,9863,21279,10037,246 --elo0 0.5 --elo1 2.5 --model logistic", ""},
	},
	"gyges selfplay": {
		{"gyges selfplay configs/selfplay/standard.yaml", ""},
		{"gyges selfplay --agent alphabeta:depth=2,hash=1 --rules kang --pairs 5000 --out results/kang", "no file needed"},
	},
	"gyges data make":  {{"gyges data make results/quick --validation 10", "training positions of a tournament"}},
	"gyges tune texel": {{"gyges tune texel configs/tuning/texel.yaml --data results/selfplay/positions", ""}},
	"gyges tune spsa":  {{"gyges tune spsa configs/tuning/spsa.yaml --out results/spsa", ""}},
	"gyges train": {
		{"gyges train configs/training/standard.yaml", ""},
		{"gyges train configs/training/kang.yaml --generations 10 --out results/kang", "more of them; again, to resume"},
	},
	"gyges analyse": {
		{"gyges analyse '202110/000330/000000/000200/000100/030123 s' --depth 4", ""},
		{"gyges analyse --multi 3 --movetime 2s '321123/000000/000000/000000/000000/321123 s'", "the three best moves"},
		{"gyges analyse --rules kang --format json --depth 3 '000000/000000/000000/000000/000000/000000 s 222/222 0-0 -'",
			""},
		{"gyges analyse --json --nodes 100000 < requests.jsonl > answers.jsonl", "a batch of positions"},
	},
	"gyges solve": {
		{"gyges solve '000100/300002/330230/101000/200000/002100 s'", ""},
		{"gyges solve --rules simplified --depth 4 '000023/022001/002000/010330/000300/110000 n'", ""},
		{"gyges solve --depth 9 --movetime 1m --format json '200000/200200/003113/003000/002300/000101 s'", ""},
		{"gyges solve --rules simplified --proof '232113/000000/000000/000000/000000/332211 s'", "a set-up"},
		{"gyges openings --rules simplified --setups | gyges solve --rules simplified --depth 7 --list - --format csv", ""},
	},
	"gyges tactics make": {
		{"gyges tactics make > suite.jsonl", ""},
		{"gyges tactics make --rules simplified --each 1 --seed 7", ""},
	},
	"gyges tactics run": {
		{"gyges tactics run suite.jsonl --agent alphabeta:depth=5 --agent mcts:iterations=2000", ""},
		{"gyges tactics run suite.jsonl --agent greedy --missed", "with the positions not solved"},
	},
	"gyges perft": {
		{"gyges perft --depth 3 '321123/000000/000000/000000/000000/321123 s'", ""},
		{"gyges perft --depth 2 --split --rules kang '000000/000000/000000/000000/000000/000000 s 222/222 0-0 -'", ""},
		{"gyges perft --rules simplified --epd counts.epd --depth 3", ""},
	},
	"gyges bench search": {
		{"gyges bench", "the signatures, and how fast the searches are"},
		{"gyges bench search --agent alphabeta:depth=3", ""},
	},
	"gyges ugi": {
		{"gyges ugi", "type ugi, then go, then stop, then quit"},
		{"gyges ugi --agent mcts:iterations=200 --rules kang", ""},
	},
	"gyges engine check": {
		{"gyges engine check ./engine", ""},
		{"gyges engine check python3 cmd/gyges/testdata/engine.py", ""},
	},
	"gyges worker": {
		{"gyges worker --nats nats://localhost:4222", "with gyges tournament … --nats embedded on the same machine"},
		{"gyges worker --nats tls://nats.example.org:4222 --workers 8 --nats-user player",
			"with the password in $GYGES_NATS_PASSWORD"},
		{"gyges worker --nats nats://localhost:4222 --engine 'stock=/opt/stock/stock --uci'", "may play ugi:name=stock,…"},
	},
	"gyges help": {
		{"gyges help", "the topics"},
		{"gyges help ratings", "a manual"},
		{"gyges help settings", "the keys and flags of a run"},
		{"gyges help games list", "the same as gyges games list --help"},
	},
	"gyges completion": {
		{"source <(gyges completion bash)", "for the running bash; in ~/.bashrc for every one"},
		{`gyges completion zsh > "${fpath[1]}/_gyges"`, ""},
		{"gyges completion fish > ~/.config/fish/completions/gyges.fish", ""},
	},
	"gyges version": {{"gyges version", ""}},
}
