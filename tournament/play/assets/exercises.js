// The exercises: a position, and a move to try that the server judges. Those that teach the game come with the page. The
// mistakes of a game are in the address, as the page to analyse has it: #rules=…&position=…&moves=…&mistakes=INDEX,INDEX.
import * as B from "./board.js";
import { $, keepFocus, make, mark, patiently, request, setAddress, showProblem, store, stored } from "./dom.js";
import { create as createInput } from "./input.js";
import * as motion from "./motion.js";

const KEY = "gyges.solved"; // positions of exercises that were solved
const solved = stored(KEY).split(",");
const address = new URLSearchParams(location.hash.slice(1));
const list = address.has("mistakes") ? mistakes() : JSON.parse($("exercises-data").textContent);
let at = 0,
  S = null, // the position from the server
  asked = 0; // counts what was asked of it, so that late answers are passed over

// mistakes lists the positions of a game in which a move was a mistake.
function mistakes() {
  const all = (address.get("moves") || "").split(" ");
  const made = address.get("mistakes").split(",").map(Number);
  return made
    .filter((i) => all[i])
    .map((i) => {
      const game = { rules: address.get("rules"), position: address.get("position"), before: all.slice(0, i) };
      return { ...game, theme: "your mistakes", task: `${all[i]} was a mistake. Find a better move.` };
    });
}

const input = createInput($("table"), {
  move: attempt,
  change: () => ($("course").textContent = input.preview()),
  problem: showProblem,
});
motion.choose($("speed"));
const moving = motion.create();

// ask sends the position, and what is asked of it.
function ask(path, body = {}) {
  const { rules, position, before = [] } = list[at]; // moves of its game
  return request(path, { rules, position, moves: before, ...body });
}

// open shows an exercise.
async function open(i) {
  moving.skip();
  at = Math.max(0, Math.min(list.length - 1, i));
  const mine = ++asked,
    [state, problem] = await ask("/api/position");
  if (mine !== asked) return;
  showProblem(problem);
  if (!state) return;
  S = state;
  address.set("n", String(at + 1));
  setAddress("#" + address);
  drawList();
  $("headline").textContent = `${at + 1}. ${list[at].task}`;
  $("hint").textContent = list[at].hint || "";
  reset();
}

// reset shows the position, with the moves to try.
function reset() {
  moving.skip();
  asked++;
  $("verdict").textContent = "";
  show({ position: B.parsePosition(S.position) }, S.sources);
}
const show = (scene, sources = []) =>
  input.show({ position: scene.position, scene, sources, hands: scene.position.kang, turned: S.turn === "north" });

// attempt asks whether a move is right; "" asks for the answer. It is shown, with what follows.
async function attempt(move) {
  const mine = ++asked;
  const late = () => ($("verdict").textContent = "Searching …");
  const [v, problem] = await patiently(ask("/api/exercise", { move }), late);
  if (mine !== asked) return;
  if (problem) reset();
  showProblem(problem);
  if (problem) return;
  if (v.right && move && !solved.includes(S.position)) store(KEY, (solved.push(S.position), solved).join());
  $("verdict").textContent = v.text;
  $("verdict").classList.toggle("right", v.right);
  const scenes = B.follow(B.parsePosition(S.position), v.line);
  show({ position: scenes[0].before });
  moving.play(input.board(), scenes, () => {
    show(scenes.at(-1));
    $("course").textContent = v.line.join(" ");
  });
  drawList();
}

// drawList draws the numbers of the exercises, by grade.
function drawList() {
  const button = (x, i) => {
    const done = solved.includes(x.position) && x.grade,
      label = `Exercise ${i + 1}, ${x.theme}${done ? ", solved" : ""}`;
    const attributes = { type: "button", class: done ? "solved" : "", "aria-label": label, onclick: () => open(i) };
    const b = make("button", attributes, String(i + 1));
    mark(b, i === at);
    return b;
  };
  $("next").disabled = at === list.length - 1;
  keepFocus($("again"));
  const buttons = list.map(button);
  const row = (grade) => {
    const steps = buttons.filter((_, i) => list[i].grade === grade);
    return make("div", { class: "steps" }, make("span", {}, grade ? `Grade ${grade}` : "Mistakes"), ...steps);
  };
  $("grades").replaceChildren(...[...new Set(list.map((x) => x.grade))].map(row));
}

$("again").addEventListener("click", reset);
$("answer").addEventListener("click", () => attempt(""));
$("next").addEventListener("click", () => open(at + 1));
const first = list.findIndex((x) => !solved.includes(x.position));
if (list.length) open((parseInt(address.get("n"), 10) || first + 1) - 1);
else showProblem("the address names no mistakes");
