// The page to analyse: a tree of variations from a position, and the best lines
// of the position shown. The server has the rules and searches. The address
// holds it all: #rules=…&position=…&moves=…&at=N. Variations stand in parentheses
// behind the move that they replace, and N counts the moves to the one shown.
import * as B from "./board.js";
import { $, announce, copy, flush, focused, keepFocus, keepInView, make } from "./dom.js";
import { patiently, request, scoreText, setAddress, showProblem } from "./dom.js";
import { create as createEditor } from "./editor.js";
import { create as createInput } from "./input.js";
import * as motion from "./motion.js";
import { create as createSearch } from "./search.js";
import * as tree from "./tree.js";

const maxAddress = 60000; // characters
const motionMoves = 6; // shown one after another: those made by a click on a line at most

let rules = "standard",
  root = null,
  current = null;
let wanted = null; // the node that is shown once the server has answered
let asked = 0; // counts the positions asked for, so that late answers are passed over
let leaving = false; // the next address is that of another tree; the browser's button leads back to the last one
let turned = false;

// ---- the server

// query is a node for a request.
const query = (node) => ({ rules, position: root.state.start, moves: tree.path(node).map((n) => n.move) });

// ask requests a position; mine is the number of the request.
const ask = (query, mine) =>
  patiently(request("/api/position", query), () => {
    if (mine === asked) showProblem("waiting for the server");
  });

// begin sets up a position, and shows it if it is one. The tree is new.
async function begin(query, moves = "", at = 0) {
  const mine = ++asked;
  const [state, problem] = await ask(query, mine);
  if (mine !== asked) return false;
  if (problem) {
    showProblem(problem);
    return false;
  }
  flush();
  leaving = root !== null && location.hash === address;
  rules = state.rules;
  root = tree.newTree(state.start);
  root.state = state;
  moving.skip();
  editor.close();
  const whole = tree.readMoves(root, moves);
  await visit(tree.order(root)[at - 1] || root);
  if (!whole) showProblem("some of the moves in the address can't be read");
  return true;
}

// visit shows a node. One that the rules don't allow is removed.
async function visit(node) {
  if (!node) return;
  const mine = ++asked;
  wanted = node;
  showProblem("");
  if (!node.state) {
    const [state, problem] = await ask(query(node), mine);
    if (mine !== asked) return;
    showProblem("");
    if (problem) {
      wanted = null;
      if (problem.startsWith("moves: ")) {
        tree.remove(node);
        await visit(node.parent);
      }
      return showProblem(problem);
    }
    node.state = state;
    tree.path(node).forEach((n, i) => (n.text = state.moves[i]));
  }
  const before = current,
    moved = node !== before;
  current = node;
  wanted = null;
  show(moved ? since(before) : []);
  if (moved) {
    said();
    search.restart();
  }
}

// child is the node after a move of the current one, or null.
function child(node, text) {
  const made = tree.child(node, text);
  if (!made) showProblem("there are too many moves; delete a variation first");
  return made;
}

// ---- what is shown

const input = createInput($("table"), {
  move: (text) => visit(child(current, text)),
  change: prompt,
  problem: showProblem,
  edit: (name) => editor.put(name),
  carry: (from, to) => editor.carry(from, to),
});
const editor = createEditor({
  show: (p) =>
    input.show({ position: p, scene: null, sources: [], placing: false, hands: p.kang, turned, editing: true }),
  closed() {
    show();
    search.restart();
  },
  use: (position) => begin({ rules, position }),
  announce,
});
const search = createSearch({
  current: () => current,
  refusal() {
    if (editor.isOpen()) return "";
    if (current.state.result) return "the game is over";
    return current.state.placing ? "starts when all pieces are placed" : null;
  },
  query: (node) => ({ ...query(node), moves: query(node).moves.join(" ") }),
  changed(node) {
    [node, ...node.children].forEach(drawScore);
    drawBar();
  },
  play(moves) {
    let node = current;
    for (const text of moves) node = node && child(node, text);
    visit(node);
  },
  announce,
});

// scene is what the board shows of a node: the move that led there, if there is one.
function scene(node) {
  const { parent, position } = node;
  return parent ? { position, move: B.parseMove(node.text), before: parent.position } : { position };
}

// since lists the moves from a node to the current one that are shown one after another.
function since(node) {
  const list = tree.path(current).slice(-motionMoves),
    at = list.findIndex((n) => n.parent === node);
  return at < 0 ? [] : list.slice(at).map(scene);
}

// showBoard shows the current node on the board, after the motion of the moves that led there.
function showBoard(moves = []) {
  moving.skip();
  const S = current.state,
    position = B.parsePosition(S.position),
    hands = S.placing || position.kang,
    last = { position, scene: { ...scene(current), position }, sources: S.sources, hands };
  const first = moves.length && {
    position: moves[0].before,
    scene: { position: moves[0].before },
    sources: [],
    hands: hands || moves.some((m) => m.move.kind === "place"),
  };
  input.show({ ...(first || last), placing: S.placing, turned, editing: false });
  if (first)
    moving.play(input.board(), moves, () => {
      showBoard();
      prompt();
      drawBar();
    });
}
motion.choose($("speed"));
const moving = motion.create();
$("table").addEventListener("pointerdown", moving.skip, true);
$("table").addEventListener("keydown", moving.skip, true);

// show shows the current node, and the moves that led there in motion.
function show(moves = []) {
  const S = current.state;
  showBoard(moves);
  $("text").value = S.position;
  $("pass").hidden = !S.pass;
  chooseRules();
  prompt();
  drawTree();
  search.draw();
  drawBar();
  writeAddress();
}

function prompt() {
  if (!current || editor.isOpen()) return;
  const S = current.state,
    turn = S.turn === "south" ? "South" : "North";
  $("course").textContent = input.preview() || current.text;
  if (S.result) $("headline").textContent = `The game is over: ${S.result} (${S.reason}).`;
  else if (S.pass) $("headline").textContent = `${turn} must pass.`;
  else $("headline").textContent = `${turn} ${S.placing ? "places a piece" : "to move"}. ${input.prompt()}`.trimEnd();
}

// said announces the move that led to the current node.
function said() {
  const words = current.parent
    ? B.describeMove(current.parent.position, B.parseMove(current.text))
    : "The first position.";
  announce(`${words} ${$("headline").textContent}`);
}

function chooseRules() {
  if (![...$("rules").options].some((o) => o.value === rules))
    $("rules").append(make("option", { value: rules, "data-doc": "a rule set of your own" }, rules));
  $("rules").value = rules;
  $("rules-doc").textContent = $("rules").selectedOptions[0].dataset.doc;
}

function drawTree() {
  const hadFocus = $("tree").contains(focused());
  $("tree").replaceChildren(...variation(root.children[0]));
  if (!root.children.length)
    $("tree").append(
      make("p", { class: "note" }, "Make moves on the board. Another move at an earlier position begins a variation."),
    );
  const marked = $("tree").querySelector("[aria-current]");
  if (marked) keepInView($("tree"), marked, $("tree").clientHeight / 2);
  if (hadFocus) (marked ?? $("tree")).focus({ preventScroll: true });
  $("first").disabled = $("back").disabled = $("delete").disabled = !current.parent;
  $("next").disabled = $("last").disabled = !current.children.length;
  $("promote").disabled = tree.path(current).every((n) => n.parent.children[0] === n);
  keepFocus($("back").disabled ? ($("next").disabled ? $("turn") : $("next")) : $("back"));
}

// variation returns the elements of a node and those that follow, with the other variations
// where they begin.
function variation(node) {
  const list = [];
  for (; node; node = node.children[0]) {
    list.push(moveButton(node));
    const [main, ...others] = node.parent.children;
    if (main === node)
      list.push(
        ...others.map((n) =>
          make("div", { class: "variation", role: "group", "aria-label": "Variation" }, ...variation(n)),
        ),
      );
  }
  return list;
}

function moveButton(node) {
  const side = B.mover(node.parent.position, B.parseMove(node.text));
  node.score = make("span", { class: "v" });
  drawScore(node);
  return make(
    "button",
    {
      type: "button",
      class: "ply",
      ...(node === current ? { "aria-current": "true" } : {}),
      onclick: () => visit(node),
    },
    make("span", { class: "n " + (side ? "dot-n" : "dot-s") }, node.text[1] === "@" ? "·" : String(node.ply)),
    " ",
    node.text,
    node.score,
  );
}

// drawScore shows the score of a node beside its move, if it is known: for the side that made the move.
function drawScore(node) {
  if (!node.score) return;
  const before = node.parent.lines?.find((l) => tree.short(l.line[0]) === node.move);
  const score = node.lines ? forMover(node.lines[0].score) : before?.score;
  node.score.textContent = node.state?.result || (score === undefined ? "" : " " + scoreText(score));
}

// forMover is a score for the side that made the move before it. A proven result is a ply further then.
const forMover = (score) => (Math.abs(score) >= 29000 ? Math.sign(score) - score : -score);

// drawBar shows the probability that South wins, and the best move as an arrow.
function drawBar() {
  const best = current.lines?.[0],
    south = current.state.turn === "south",
    result = current.state.result;
  let share = null;
  if (editor.isOpen()) share = null;
  else if (result) share = { "1-0": 1, "0-1": 0 }[result] ?? 0.5;
  else if (best?.win_probability !== undefined) share = south ? best.win_probability : 1 - best.win_probability;
  $("bar").classList.toggle("empty", share === null);
  $("bar").classList.toggle("turned", turned);
  $("bar-south").style.height = 100 * (share ?? 0.5) + "%";
  const found = best ? `Evaluation for ${south ? "South" : "North"}: ${scoreText(best.score)}` : "No evaluation";
  const arrow = best && !editor.isOpen() && !moving.isMoving();
  input.board()?.aim(...(arrow ? [B.parsePosition(current.state.position), B.parseMove(best.line[0])] : []));
  $("bar").setAttribute("aria-label", result ? "The result: " + result : found);
}

// ---- steps

const here = () => wanted || current;
const go = {
  first: () => root,
  back: () => here().parent,
  next: () => here().children[0],
  last: () => tree.end(here()),
};
for (const id of Object.keys(go)) $(id).addEventListener("click", () => visit(go[id]()));
$("pass").addEventListener("click", () => visit(child(current, "pass")));
$("turn").addEventListener("click", () => {
  turned = !turned;
  $("turn").setAttribute("aria-pressed", String(turned));
  if (editor.isOpen()) editor.draw();
  else show();
  drawBar();
});
// sibling is the variation so many places on.
function sibling(by) {
  const list = here().parent ? here().parent.children : [];
  return list[list.indexOf(here()) + by];
}
document.addEventListener("keydown", (/** @type {any} */ e) => {
  if (!current || editor.isOpen() || e.altKey || e.ctrlKey || e.metaKey || e.shiftKey) return;
  if (e.target.closest("input, select, .cells")) return;
  if (e.key === "Escape") return input.clear();
  const to = {
    ArrowLeft: go.back,
    ArrowRight: go.next,
    Home: go.first,
    End: go.last,
    ArrowUp: () => sibling(-1),
    ArrowDown: () => sibling(1),
  }[e.key];
  const node = to?.();
  if (!node) return;
  e.preventDefault();
  visit(node);
});
// After a click the arrow keys step through the moves, not from square to square.
$("table").addEventListener("click", (e) => {
  if (e.detail > 0) $("table").focus({ preventScroll: true });
});

$("delete").addEventListener("click", () => {
  const gone = here();
  if (!gone.parent) return;
  leaving = true;
  tree.remove(gone);
  visit(gone.parent);
});
$("promote").addEventListener("click", () => {
  tree.promote(here());
  visit(here());
});

// ---- setting up

$("rules").addEventListener("change", async () => {
  const r = $("rules").value,
    now = current.state.position;
  if (!(await begin({ rules: r, position: now })) && (await begin({ rules: r, setup: "random" })))
    showProblem(
      "the position isn't possible under these rules; this is a random one, and the browser's Back returns to the last",
    );
});
$("random").addEventListener("click", () => begin({ rules, setup: "random" }));
$("beginning").addEventListener("click", () => begin({ rules }));
$("text-form").addEventListener("submit", (e) => {
  e.preventDefault();
  begin({ rules, position: $("text").value });
});

$("edit").addEventListener("click", () => {
  if (editor.isOpen()) return editor.cancel();
  moving.skip();
  showProblem("");
  editor.open(current.state.position);
  search.restart();
  drawBar();
});

// ---- the address, and copies

let address = "";
function writeAddress() {
  const q = new URLSearchParams({ rules, position: root.state.start });
  if (root.children.length) {
    q.set("moves", tree.written(root));
    q.set("at", String(tree.order(root).indexOf(current) + 1));
  }
  const text = "#" + q;
  if (text.length > maxAddress) return;
  address = text;
  setAddress(text, leaving);
  leaving = false;
}

function readAddress() {
  const q = new URLSearchParams(location.hash.length > maxAddress ? "" : location.hash.slice(1));
  const set = q.get("rules") || rules;
  if (!q.has("position")) return begin({ rules: set, setup: "random" });
  return begin({ rules: set, position: q.get("position") }, q.get("moves") || "", +q.get("at"));
}
addEventListener("hashchange", () => {
  if (location.hash !== address && location.hash.includes("=")) readAddress();
});

$("copy-text").addEventListener("click", () => {
  $("text").select();
  copy($("text").value, $("copied"), "selected; press Ctrl+C");
});
$("copy-link").addEventListener("click", () =>
  copy(location.origin + location.pathname + address, $("copied"), "copy it from the address bar"),
);

async function start() {
  if (!(await readAddress()) && !current) {
    const problem = $("problem").textContent;
    await begin({ rules: "standard", setup: "random" });
    showProblem(problem.replace(/\.$/, ""));
  }
}
start();
