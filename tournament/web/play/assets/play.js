// The page to play on. The server has the rules: it lists where each piece can
// go, and makes the moves. The game in progress is named by the address, #game=ID.
import * as B from "./board.js";
import { $, announce, keepFocus, keepInView, make, mark, moveItem, patiently, sleep } from "./dom.js";
import { request, sentence, setAddress, showProblem } from "./dom.js";
import * as form from "./form.js";
import { create as createInput } from "./input.js";
import * as motion from "./motion.js";

const sideNames = ["South", "North"];
const outcomes = { you: "You won", agent: "You lost", none: "It is a draw", "1-0": "South won", "0-1": "North won" };

let S = null; // the last state of the game from the server
let turned = false; // North is below
let displayed = 0; // how many moves the board shows
let scores = false; // the list of moves has the opponent's
let viewing = null; // the ply of an earlier position that is looked at
let advice = null,
  requesting = false,
  slow = false,
  lost = false, // the server doesn't answer
  poll = null,
  announced = 0,
  prompted = "";

const input = createInput($("table"), {
  move: (text) => act("move", { ply: S.moves.length, move: text }),
  change() {
    drawWords();
    if (input.prompt() !== prompted) announce((prompted = input.prompt()));
  },
  problem: showProblem,
});
motion.choose($("speed"));
const moving = motion.create();

// ---- the state

const you = () => +((S.you || S.turn) === "north"); // of two persons who is to move
const theirs = () => sideNames[1 - you()];
const turnText = () => (S.you ? "Your turn" : `${sideNames[you()]} to move`);
const over = () => S.result || S.problem;
const revealed = () => displayed === S.moves.length && !moving.isMoving();

// show takes in a state. The moves that came are shown one after another, unless the
// game has just been opened.
function show(state) {
  const same = S && S.id === state.id;
  if (same && state.version < S.version) return;
  const went = !same || !S.moves.every((t, i) => t === state.moves[i]);
  if (went) {
    viewing = null;
    skipAll();
  } // moves in motion may be taken back
  if (!same || S.moves.length !== state.moves.length) advice = null;
  if (!same) {
    turned = state.you === "north";
    announced = displayed = state.moves.length;
  }
  S = { ...state, plies: B.follow(B.parsePosition(state.opening), state.moves) }; // each with the positions around it
  received = performance.now();
  if (went) displayed = S.moves.length;
  setAddress("#game=" + S.id);
  document.body.classList.add("playing");
  $("new").hidden = true;
  $("play").hidden = false;
  $("other").replaceChildren();
  form.teachRules(S.rules);
  announceMoves();
  list();
  if (viewing === null) catchUp();
  draw();
  if (S.waiting) wait();
}

// catchUp moves the pieces until the board shows all moves.
function catchUp() {
  if (moving.isMoving()) return; // what came is shown after what is moving
  const all = S.plies,
    moves = all.slice(displayed);
  if (!moves.length) return showBoard();
  input.show({ ...frame(moves[0].before, moves), scene: { position: moves[0].before }, sources: [] });
  moving.play(input.board(), moves, () => {
    displayed = Math.max(displayed, all.length);
    if (viewing === null) {
      catchUp();
      draw();
    }
  });
}
$("table").addEventListener("pointerdown", () => skipAll(), true);
$("table").addEventListener("keydown", () => skipAll(), true);
function skipAll() {
  if (moving.isMoving()) {
    displayed = S.moves.length;
    moving.skip();
  }
}

// frame is what the board shows beside the scene; it has hands where any of the
// positions has pieces in them.
function frame(position, moves) {
  const held = (p) => p.hands.some((h) => h.some((n) => n > 0));
  return {
    position,
    placing: S.placing,
    hands: position.kang || [position, ...moves.map((m) => m.before)].some(held),
    turned,
  };
}

// showBoard shows the position that is looked at: the last one, with the moves to
// choose from, or an earlier one.
function showBoard() {
  const at = viewing ?? S.moves.length,
    last = at ? S.plies[at - 1] : null;
  const position = viewing !== null ? (last ? last.position : B.parsePosition(S.opening)) : B.parsePosition(S.position);
  let scene = last || { position };
  if (viewing === null && advice) {
    const move = B.parseMove(advice.line[0]);
    scene = { position, move, before: position };
  }
  input.show({ ...frame(position, []), scene, sources: viewing === null ? S.sources : [] });
  prompted = input.prompt();
}

// ---- requests

// wait requests the state until the game has a later one than a version.
async function wait(version = S.version) {
  poll?.abort();
  const mine = (poll = new AbortController());
  const [state, problem, status] = await request(`/api/games/${S.id}?after=${version}`, undefined, mine.signal);
  if (mine.signal.aborted || mine !== poll) return;
  poll = null;
  lose(status === 0);
  showProblem(lost ? "" : problem);
  if (state) return show(state);
  if (status === 404) return gone();
  await sleep(2000);
  if (S && !poll && (lost || S.waiting)) wait(version);
}

// lose notes whether the connection is lost.
function lose(is) {
  if (lost === is) return;
  lost = is;
  draw();
  if (lost) announce(headline());
}

// recover requests the state after a request without an answer, whatever has become of it.
function recover() {
  lose(true);
  return wait(S.version - 1);
}

// refresh takes in what has become of the game, as in another tab.
async function refresh() {
  if (!S || S.waiting || S.gone || requesting) return;
  const now = S,
    [state, , status] = await request("/api/games/" + now.id);
  if (now !== S) return;
  if (state && state.version !== S.version) show(state);
  else if (status === 404 && !over()) gone();
}
document.addEventListener("visibilitychange", () => document.hidden || refresh());

// gone ends a game that the server doesn't have any more. Its moves stay.
function gone() {
  S = {
    ...S,
    gone: true,
    waiting: false,
    undo: false,
    sources: [],
    clock: null,
    problem:
      "the server has ended this game, because it was idle for too long or the server was restarted; " +
      "Analyse still shows its moves",
  };
  showProblem("");
  advice = null;
  announceMoves();
  if (viewing === null && !moving.isMoving()) showBoard();
  draw();
}

// act sends a request that changes the game, or begins another one.
async function act(name, body = {}) {
  if (requesting) return;
  requesting = true;
  showProblem("");
  const { id } = S,
    left = () => S?.id !== id; // for the form, or another game
  const answer = request(name === "" ? "/api/games" : `/api/games/${id}/${name}`, body);
  const [state, problem, status] = await patiently(answer, () => {
    if (!left()) {
      slow = true;
      drawWords();
      announce(headline());
    }
  });
  requesting = slow = false;
  if (left()) return;
  if (status === 0) return recover();
  lose(false);
  if (problem) {
    showProblem(problem);
    drawWords();
    if (status === 404 || status === 409) refresh(); // what the page shows is out of date
    return;
  }
  poll?.abort();
  poll = null;
  viewing = null;
  show(state);
}

// ---- the words

function draw() {
  drawSides();
  drawWords();
  drawAdvice();
  drawEarlier();
  drawClocks();
  for (const li of $("moves").children) {
    const current = +li.dataset.ply === (viewing ?? S.moves.length);
    mark(li, current);
    if (current) keepInView($("moves"), li);
  }
  $("undo").disabled = !S.undo;
  $("hint").disabled = !!over() || S.waiting || S.placing || viewing !== null || !revealed();
  $("resign").disabled = !!over();
  $("resign").hidden = !!over();
  $("rematch").hidden = !over() || !!S.gone;
  $("hint").title = S.placing && !over() ? "Hints begin when all pieces are placed" : "";
  document.title = over() || S.waiting ? "Play" : turnText(); // of a tab in the background
  $("undo").title = S.clock ? "No take-backs in timed games" : "";
  keepFocus(over() ? $("again") : $("turn"));
  $("play").classList.toggle("placing", S.placing);
  $("play").classList.toggle("thinking", S.waiting && !over() && !lost);
}

function drawSides() {
  for (const side of [0, 1]) {
    const bar = $(side === (turned ? 1 : 0) ? "below" : "above");
    bar.classList.toggle("to-move", !over() && side === +(S.turn === "north"));
    bar.dataset.who = side === you() ? "you" : "agent";
    bar
      .querySelector(".name")
      .replaceChildren(
        make("b", { class: "dot-" + "sn"[side] }, sideNames[side]),
        " ",
        !S.you ? S.people[sideNames[side].toLowerCase()] : side === you() ? "you" : S.agent,
      );
  }
  $("rules-now").textContent = S.rules;
}

function drawWords() {
  $("headline").textContent = headline();
  const at = viewing ?? displayed,
    last = at ? S.plies[at - 1] : null;
  $("last").textContent = last ? B.describeMove(last.before, last.move) : "";
  $("course").textContent = input.preview() || (last ? last.move.text : "");
  $("course").classList.toggle("picked", !!input.preview());
}

function headline() {
  if (lost) return "Not connected; trying again …";
  if (slow) return "Waiting for the server …";
  if (viewing !== null) return `Position after ply ${+S.plies[viewing - 1]?.ply || 0} of ${+S.plies.at(-1).ply || 0}.`;
  if (!revealed())
    return B.mover(S.plies[displayed].before, S.plies[displayed].move) === you() ? "Your move." : `${theirs()} moves.`;
  if (S.result)
    return `${outcomes[S.winner || S.result] ?? outcomes.none}, ${S.result} (${S.reason}). ${sentence(S.problem)}`.trimEnd();
  if (S.problem) return sentence(S.problem);
  if (S.waiting) return `${theirs()} is thinking …`;
  return `${turnText()}. ${input.prompt()}`;
}

// announceMoves announces the new moves to screen readers.
function announceMoves() {
  const parts = S.moves.length < announced ? ["Taken back."] : [];
  for (const { before, move } of S.plies.slice(announced)) parts.push(B.describeMove(before, move));
  announced = S.moves.length;
  if (over()) parts.push(sentence(S.problem) || `The game is over, ${S.result}.`);
  else parts.push(S.waiting ? `${theirs()} is thinking.` : turnText() + ".");
  announce(parts.slice(-6).join(" "));
}

// ---- the list of moves, and earlier positions

function list() {
  $("moves").replaceChildren(
    ...S.plies.map(({ before, move, ply }, i) =>
      moveItem(i + 1, B.mover(before, move), ply, move.text, scores ? S.info[i].split(",")[0] : "", () => view(i + 1)),
    ),
  );
}

// The scores of the opponent's searches are shown when they are asked for.
$("scores").addEventListener("click", () => {
  $("scores").setAttribute("aria-pressed", String((scores = !scores)));
  list();
  draw();
});

// view shows the position after so many moves; that after all is the game itself.
function view(ply) {
  if (!S) return;
  skipAll();
  showProblem("");
  ply = Math.max(0, Math.min(S.moves.length, ply));
  viewing = ply === S.moves.length ? null : ply;
  if (viewing === null) catchUp();
  else showBoard();
  draw();
  announce(viewing === null ? "Back in the game. " + headline() : `${headline()} ${$("last").textContent}`);
}
new ResizeObserver(() => {
  const li = $("moves").querySelector("[aria-current]");
  if (li) keepInView($("moves"), li);
}).observe($("moves"));
$("moves").addEventListener("keydown", (e) => {
  if (e.altKey || e.ctrlKey || e.metaKey || !S) return;
  const at = viewing ?? S.moves.length,
    to = {
      ArrowUp: at - 1,
      ArrowLeft: at - 1,
      ArrowDown: at + 1,
      ArrowRight: at + 1,
      Home: 0,
      End: S.moves.length,
      Escape: S.moves.length,
    }[e.key];
  if (to === undefined) return;
  e.preventDefault();
  view(to);
});

function drawEarlier() {
  $("earlier").hidden = viewing === null;
  const bound = S.clock && !over();
  $("go-on").disabled = bound || S.gone;
  $("go-on").title = bound
    ? "No take-backs in timed games"
    : over()
      ? "Starts another game from this position"
      : "Takes back the moves after it";
}
$("back").addEventListener("click", () => {
  view(S.moves.length);
  input.focus();
});
$("go-on").addEventListener("click", () =>
  (over() ? act("", { from: { game: S.id, ply: viewing } }) : act("undo", { ply: viewing })).then(() => input.focus()),
);

// ---- clocks

let received = 0; // when the state came
const clockText = (ms, fine = false) => {
  const tenths = Math.floor(ms / 100),
    s = Math.floor(tenths / 10);
  return `${Math.floor(s / 60)}:${String(s % 60).padStart(2, "0")}` + (fine ? "." + (tenths % 10) : "");
};
function drawClocks() {
  for (const bar of [$("above"), $("below")]) {
    const out = bar.querySelector(".clock"),
      own = bar.dataset.who === "you",
      c = S && S.clock;
    out.hidden = !c;
    if (!c) continue;
    const running = c.running === bar.dataset.who,
      passed = running ? performance.now() - received : 0;
    const ms = own ? Math.max(0, c.left - passed) : c.used + passed;
    out.textContent = own ? clockText(ms, ms < 20000) : "used " + clockText(ms);
    out.classList.toggle("running", running);
    out.classList.toggle("short", own && ms < 20000);
    if (own && running && ms === 0 && !poll && !lost) wait(); // until the server says that the time is over
  }
}
setInterval(() => S?.clock?.running && drawClocks(), 100);

// ---- hints

function drawAdvice() {
  const box = $("advice"),
    kept = over() && revealed() && S.kept,
    key = JSON.stringify([advice, kept, viewing]);
  if (box.dataset.shown === key) return;
  box.dataset.shown = key;
  box.replaceChildren();
  if (kept) {
    const to = (path, text) => make("a", { href: "/game/" + path }, text);
    box.append(make("p", {}, to(kept, "Replay the game"), " or ", to(kept + "#review", "review it"), "."));
  }
  if (!advice || over() || viewing !== null) return;
  const line = B.follow(B.parsePosition(S.position), advice.line).map(({ before, move }) => {
    return { text: make("span", { class: "m" }, move.text), words: B.describeMove(before, move) };
  });
  const playIt = make("button", { type: "button", id: "play-hint", onclick: playHint }, "Play it");
  box.append(make("p", {}, make("b", {}, "Hint: "), line[0].words, " ", line[0].text.cloneNode(true), " ", playIt));
  if (line.length > 1) {
    const rows = line.map((m) => make("li", {}, m.text, make("span", { class: "sr" }, " " + m.words)));
    const title = make("summary", {}, "The expected line" + (advice.info ? ` (${advice.info})` : ""));
    box.append(make("details", {}, title, make("ol", { class: "line" }, ...rows)));
  }
  announce(`Hint: ${line[0].words}`);
}
function playHint() {
  if (advice) act("move", { ply: S.moves.length, move: advice.line[0] });
  input.focus();
}
let searching = false;
$("hint").addEventListener("click", async () => {
  if (requesting || searching) return;
  searching = true;
  showProblem("");
  $("hint").textContent = "Searching …";
  const id = S.id,
    ply = S.moves.length,
    [answer, problem, status] = await request(`/api/games/${id}/hint`, { ply }, undefined, 4);
  searching = false;
  $("hint").textContent = "Hint";
  if (!S || S.id !== id) return;
  if (status === 0) return recover();
  if (problem) showProblem(problem);
  else if (ply === S.moves.length) {
    advice = answer;
    if (viewing === null && revealed()) showBoard();
  }
  draw();
});

// ---- the other buttons

$("undo").addEventListener("click", () => act("undo"));
$("rematch").addEventListener("click", () => act("", { rematch: S.id }).then(() => input.focus()));
$("turn").addEventListener("click", () => {
  skipAll();
  turned = !turned;
  showBoard();
  draw();
});
// During the game the analysis board counts as help.
$("to-analyse").addEventListener("click", async () => {
  const [, problem] = over() ? [] : await request(`/api/games/${S.id}/help`, {});
  if (problem) return showProblem(problem);
  location.href =
    "/analyse#" +
    new URLSearchParams({
      rules: S.rules,
      position: S.opening,
      moves: S.moves.join(" "),
      at: viewing ?? S.moves.length,
    });
});
let confirming = 0;
const settle = () => {
  clearTimeout(confirming);
  confirming = 0;
  $("resign").textContent = "Resign";
};
$("resign").addEventListener("click", (e) => {
  if (e.detail > 1) return; // a double click is no answer
  if (confirming) {
    settle();
    return void act("resign");
  }
  $("resign").textContent = "Really resign?";
  confirming = setTimeout(settle, 4000);
});
$("how").addEventListener("click", () => {
  $("lesson").scrollIntoView({ block: "start" });
  $("lesson-next").focus({ preventScroll: true });
});
$("again").addEventListener("click", () => {
  poll?.abort();
  poll = null;
  skipAll();
  lost = false;
  if (!over())
    $("other").replaceChildren("Your game goes on: ", make("a", { href: "#game=" + S.id }, "back to it"), ".");
  S = null;
  history.pushState(null, "", location.pathname);
  document.body.classList.remove("playing");
  document.title = "Play";
  $("play").hidden = true;
  $("new").hidden = false;
  $("agent").focus();
});

const gameInAddress = () => new URLSearchParams(location.hash.slice(1)).get("game");
async function start() {
  form.begin((state) => {
    show(state);
    scrollTo(0, 0);
    input.focus();
  });
  const id = gameInAddress();
  if (!id || !/^[A-Z0-9]{10,40}$/.test(id)) return;
  const [state, problem, status] = await request("/api/games/" + id);
  if (state) return show(state);
  $("other").replaceChildren(make("b", { class: "problem" }, sentence(problem)));
  if (status === 404) history.replaceState(null, "", location.pathname);
}
// Back and Forward go from games to the form and to other games.
addEventListener("hashchange", () => {
  if ((gameInAddress() ?? undefined) !== S?.id) location.reload();
});
start();
