// The exercises: a position, and a move to try that the server judges.
import * as B from "./board.js";
import { $, keepFocus, make, mark, patiently, request, setAddress, showProblem, store, stored } from "./dom.js";
import { create as createInput } from "./input.js";
import * as motion from "./motion.js";

const KEY = "gyges.solved"; // positions of exercises that were solved
const solved = stored(KEY).split(",");
const list = JSON.parse($("exercises-data").textContent);
let at = 0,
  S = null, // the position from the server
  asked = 0; // counts what was asked of it, so that late answers are passed over

const input = createInput($("table"), {
  move: attempt,
  change: () => ($("course").textContent = input.preview()),
  problem: showProblem,
});
motion.choose($("speed"));
const moving = motion.create();

// open shows an exercise.
async function open(i) {
  moving.skip();
  at = Math.max(0, Math.min(list.length - 1, i));
  const mine = ++asked,
    [state, problem] = await request("/api/position", { rules: list[at].rules, position: list[at].position });
  if (mine !== asked) return;
  showProblem(problem);
  if (!state) return;
  S = state;
  setAddress(`#n=${at + 1}`);
  drawList();
  $("headline").textContent = `${at + 1}. ${list[at].task}`;
  $("hint").textContent = list[at].hint;
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
  const [v, problem] = await patiently(request("/api/exercise", { exercise: at, move }), late);
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
    const done = solved.includes(x.position),
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
    return make("div", { class: "steps" }, make("span", {}, `Grade ${grade}`), ...steps);
  };
  $("grades").replaceChildren(...[...new Set(list.map((x) => x.grade))].map(row));
}

$("again").addEventListener("click", reset);
$("answer").addEventListener("click", () => attempt(""));
$("next").addEventListener("click", () => open(at + 1));
const first = list.findIndex((x) => !solved.includes(x.position));
open((parseInt(new URLSearchParams(location.hash.slice(1)).get("n"), 10) || first + 1) - 1);
