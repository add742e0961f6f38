// The form for a new game, and the steps that explain its rules.
import * as B from "./board.js";
import { $, keepFocus, make, mark, patiently, request, showProblem as show, store, stored } from "./dom.js";
import * as motion from "./motion.js";

// The chosen preset from the server: its name and options; null until loaded.
let preset = null,
  described = 0;
const optionFields = [...$("options").querySelectorAll("[data-option]")];
const chosen = (select) => select.selectedOptions[0]?.dataset || {};

// ratedRules is the preset that levels were rated by and that is nearest to the rules set.
function ratedRules() {
  if (!preset) return chosen($("rules")).rated || "standard";
  const value = (name) => $("option-" + name).value;
  return value("kang") === "true" ? "kang" : value("relocation") === "false" ? "simplified" : "standard";
}

// isForTwo reports whether the game is one of two people.
const isForTwo = () => new FormData($("form")).get("against") === "human";

// refresh adapts the form to what is chosen in it.
function refresh() {
  const rated = ratedRules(),
    eloOf = (o) => new RegExp(`\\b${rated}:(\\S+)`).exec(o.dataset.elo || "")?.[1];
  for (const o of $("agent").options) {
    const elo = eloOf(o);
    o.textContent = o.value + (elo === undefined ? "" : `, about ${Math.round(+elo / 10) * 10} Elo`);
  }
  const agent = $("agent").selectedOptions[0],
    spans = (agent?.dataset.spans || "").split("|").filter(Boolean);
  $("agent-doc").textContent =
    (agent?.dataset.doc || "") +
    (agent && eloOf(agent) !== undefined ? `. Elo above the weakest level, measured under ${rated} rules.` : "");
  $("rules-doc").textContent = chosen($("rules")).doc || "";
  const two = isForTwo();
  $("agent-field").hidden = $("clock-field").hidden = two;
  $("other-field").hidden = !two;
  $("time-field").hidden = two || !spans.length;
  if ($("time").dataset.spans !== spans.join("|")) {
    $("time").replaceChildren(...spans.map((t, i) => make("option", { value: i }, t)));
    $("time").value = String(Math.min(1, spans.length - 1));
    $("time").dataset.spans = spans.join("|");
  }
  $("setup-field").hidden = rated === "kang";
  $("clock-doc").hidden = !$("clock").value;
}

const showProblem = (text) => show(text, "form-problem");

// rulesText returns the rules set in the form.
function rulesText() {
  if (!preset) return $("rules").value;
  const changes = optionFields
    .filter((f) => f.value !== preset.options[f.dataset.option])
    .map((f) => `${f.dataset.option}=${f.value}`);
  return preset.name + (changes.length ? ":" + changes.join(",") : "");
}

// describe shows the rules in words and steps; of another preset it fills in the options too.
async function describe() {
  const mine = ++described;
  const [r, problem] = await request("/api/rules?rules=" + encodeURIComponent(rulesText()));
  if (mine !== described) return;
  showProblem(problem);
  if (problem) return;
  if (!preset) {
    for (const f of optionFields) f.value = r.options[f.dataset.option];
    preset = { name: r.name, options: r.options };
  }
  $("prose").replaceChildren(
    ...r.prose.flatMap((s) => [make("h3", {}, s.heading), ...s.paragraphs.map((p) => make("p", {}, p))]),
  );
  refresh();
  teach(r);
}

// ---- the steps

const moving = motion.create();
let shownLesson = "",
  at = 0;

// teach shows the steps of a rule set, from the first one if it has others than before.
function teach(r) {
  $("lesson-rules").textContent = r.name;
  document.body.classList.toggle("no-displacing", r.options.relocation === "false");
  if (r.lesson === shownLesson) return;
  shownLesson = r.lesson;
  $("lesson-texts").innerHTML = r.lesson; // ours: written by the server's templates
  const buttons = [...$("lesson-texts").children].map((s, i) =>
    make(
      "button",
      {
        type: "button",
        "aria-label": `Step ${i + 1}: ${s.querySelector("h3").textContent}`,
        onclick: () => showStep(i),
      },
      String(i + 1),
    ),
  );
  $("lesson-steps").replaceChildren(...buttons);
  showStep(0, true);
}

// teachRules shows the steps of the rules of a game.
export async function teachRules(text) {
  if ($("lesson-rules").textContent === text) return;
  const [r] = await request("/api/rules?rules=" + encodeURIComponent(text));
  if (r) teach(r);
}

function showStep(i, still = false) {
  moving.skip();
  const steps = [...$("lesson-texts").children],
    last = steps.length - 1;
  at = Math.max(0, Math.min(last, i));
  steps.forEach((s, k) => (s.hidden = k !== at));
  const before = B.parsePosition(steps[at].dataset.position),
    move = B.parseMove(steps[at].dataset.move);
  const scene = { before, move, position: B.apply(before, move) };
  const board = B.createBoard({ hands: before.kang });
  $("lesson-board").replaceChildren(board.element);
  $("lesson-move").textContent = B.describeMove(before, move);
  [...$("lesson-steps").children].forEach((b, k) => mark(b, k === at));
  $("lesson-back").disabled = at === 0;
  $("lesson-next").hidden = at === last;
  $("to-exercises").hidden = at !== last;
  keepFocus(at ? $("lesson-back") : $("lesson-next"));
  moving.play(board, still ? [] : [scene], () => board.draw(scene));
}

// begin makes the form work; onGame is called with each new game.
export function begin(onGame) {
  $("rules").addEventListener("change", () => {
    preset = null;
    describe();
  });
  $("options").addEventListener("change", describe);
  $("form").addEventListener("change", refresh);
  $("name").value = stored("gyges.name");
  let beginning = false;
  $("form").addEventListener("submit", async (e) => {
    e.preventDefault();
    if (beginning) return;
    beginning = true;
    showProblem("");
    const fields = /** @type {any} */ (Object.fromEntries(new FormData($("form"))));
    const q = { ...fields, time: $("time-field").hidden ? 0 : +fields.time, rules: rulesText() };
    delete q.against;
    if (isForTwo()) Object.assign(q, { agent: "human", clock: "" });
    else delete q.other;
    store("gyges.name", q.name);
    const [state, problem] = await patiently(request("/api/games", q), () => showProblem("waiting for the server"));
    beginning = false;
    showProblem(problem);
    if (state) onGame(state);
  });
  $("lesson-back").addEventListener("click", () => showStep(at - 1));
  $("lesson-next").addEventListener("click", () => showStep(at + 1));
  $("lesson-again").addEventListener("click", () => showStep(at));
  if (location.hash === "#first") {
    $("agent").value = "beginner";
    $("rules").value = "simplified";
    $("form").elements.setup.value = "random";
    $("form").requestSubmit();
  }
  refresh();
  describe();
}
