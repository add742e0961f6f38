"use strict";
// gygesForm is the form for a new game, and the steps that explain its rules.
const gygesForm = (() => {
  const B = gygesBoard, { $, make, request, sentence, keepFocus, patiently } = gygesPage;

  // The chosen preset from the server: its name and options; null until loaded.
  let preset = null, described = 0;
  const optionFields = [...$("options").querySelectorAll("[data-option]")];
  const chosen = (select) => select.selectedOptions[0]?.dataset || {};

  // kin is the preset that levels were rated by and that is nearest to the rules set.
  function kin() {
    if (!preset) return chosen($("rules")).kin || "standard";
    const value = (name) => $("option-" + name).value;
    return value("kang") === "true" ? "kang" : value("relocation") === "false" ? "simplified" : "standard";
  }

  // refresh adapts the form to what is chosen in it.
  function refresh() {
    const rated = kin(), eloOf = (o) => new Map((o.dataset.elo || "").split(" ").filter(Boolean).map((t) => t.split(":"))).get(rated);
    for (const o of $("agent").options) {
      const elo = eloOf(o);
      o.textContent = o.value + (elo === undefined ? "" : `, about ${Math.round(elo / 10) * 10} Elo`);
    }
    const agent = $("agent").selectedOptions[0], spans = (agent?.dataset.spans || "").split("|").filter(Boolean);
    $("agent-doc").textContent = (agent?.dataset.doc || "") + (agent && eloOf(agent) !== undefined ? `. Elo above the weakest level, measured under ${rated} rules.` : "");
    $("rules-doc").textContent = chosen($("rules")).doc || "";
    $("time-field").hidden = !spans.length;
    if ($("time").dataset.spans !== spans.join("|")) {
      $("time").replaceChildren(...spans.map((t, i) => make("option", { value: i }, t)));
      $("time").value = String(Math.min(1, spans.length - 1));
      $("time").dataset.spans = spans.join("|");
    }
    $("setup-field").hidden = rated === "kang";
    $("clock-doc").hidden = !$("clock").value;
  }

  const showProblem = (text) => { $("form-problem").textContent = sentence(text); };

  // rulesText returns the rules set in the form.
  function rulesText() {
    if (!preset) return $("rules").value;
    const changes = optionFields.filter((f) => f.value !== preset.options[f.dataset.option]).map((f) => `${f.dataset.option}=${f.value}`);
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
    $("prose").replaceChildren(...r.prose.flatMap((s) => [make("h3", {}, s.heading), ...s.paragraphs.map((p) => make("p", {}, p))]));
    refresh();
    teach(r);
  }

  // ---- the steps

  let steps = [], at = 0, skip = null, board = null;

  // teach shows the steps of a rule set, from the first one if it has others than before.
  function teach(r) {
    $("lesson-rules").textContent = r.name;
    if (JSON.stringify(r.steps) === JSON.stringify(steps)) return;
    steps = r.steps;
    $("lesson-steps").replaceChildren(...steps.map((s, i) => make("button", { type: "button", "aria-label": `Step ${i + 1}: ${s.title}`, onclick: () => showStep(i) }, String(i + 1))));
    showStep(0, true);
  }

  // teachRules shows the steps of the rules of a game.
  async function teachRules(text) {
    if ($("lesson-rules").textContent === text) return;
    const [r] = await request("/api/rules?rules=" + encodeURIComponent(text));
    if (r) teach(r);
  }

  function showStep(i, still = false) {
    skip?.();
    at = Math.max(0, Math.min(steps.length - 1, i));
    const s = steps[at], before = B.parsePosition(s.position), move = B.parseMove(s.move), scene = { before, move, position: B.apply(before, move) };
    board = B.create({ hands: before.kang });
    $("lesson-board").replaceChildren(board.element);
    $("lesson-title").textContent = s.title;
    $("lesson-text").textContent = s.text;
    $("lesson-move").textContent = B.describeMove(before, move);
    [...$("lesson-steps").children].forEach((b, k) => (k === at ? b.setAttribute("aria-current", "step") : b.removeAttribute("aria-current")));
    $("lesson-back").disabled = at === 0;
    $("lesson-next").disabled = at === steps.length - 1;
    keepFocus(at ? $("lesson-back") : $("lesson-next"));
    const draw = () => { skip = null; board.draw(scene); };
    if (still || gygesMotion.isOff()) draw();
    else skip = gygesMotion.play(board, [scene], draw);
  }

  // begin makes the form work; onGame is called with each new game.
  function begin(onGame) {
    $("rules").addEventListener("change", () => { preset = null; describe(); });
    $("options").addEventListener("change", describe);
    $("form").addEventListener("change", refresh);
    let beginning = false;
    $("form").addEventListener("submit", async (e) => {
      e.preventDefault();
      if (beginning) return;
      beginning = true;
      const f = new FormData($("form"));
      showProblem("");
      const q = { agent: f.get("agent"), time: $("time-field").hidden ? 0 : +f.get("time"), rules: rulesText(), side: f.get("side"), setup: f.get("setup"), clock: f.get("clock") };
      const [state, problem] = await patiently(request("/api/games", q), () => showProblem("waiting for the server"));
      beginning = false;
      showProblem(problem);
      if (state) onGame(state);
    });
    $("lesson-back").addEventListener("click", () => showStep(at - 1));
    $("lesson-next").addEventListener("click", () => showStep(at + 1));
    $("lesson-again").addEventListener("click", () => showStep(at));
    refresh();
    describe();
  }

  return { begin, teachRules };
})();
