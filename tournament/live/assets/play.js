"use strict";
// The page to play on. The server has the rules: it lists where each piece can
// go, and makes the moves. The game in progress is named by the address, #game=ID.
(() => {
  const B = gygesBoard, $ = (id) => document.getElementById(id);
  const make = (tag, attributes, ...children) => {
    const e = document.createElement(tag);
    for (const [k, v] of Object.entries(attributes)) k.startsWith("on") ? e.addEventListener(k.slice(2), v) : e.setAttribute(k, v);
    e.append(...children);
    return e;
  };

  let S = null; // the last state of the game from the server
  const input = gygesInput.create($("table"), {
    move: go,
    change() { draw(); if (input.prompt() !== prompted) announce((prompted = input.prompt())); },
    problem: (text) => showProblem(text),
  });
  let prompted = "";
  let advice = null, requesting = false, poll = null, announced = 0;

  // ---- the form

  const doc = (select, out) => { out.textContent = select.selectedOptions[0]?.dataset.doc || ""; };
  function form() {
    doc($("agent"), $("agent-doc")); doc($("rules"), $("rules-doc"));
    const spans = ($("agent").selectedOptions[0]?.dataset.spans || "").split("|").filter(Boolean);
    $("time-field").hidden = !spans.length;
    if ($("time").dataset.spans !== spans.join("|")) {
      $("time").replaceChildren(...spans.map((t, i) => make("option", { value: i }, t)));
      $("time").value = String(Math.min(1, spans.length - 1));
      $("time").dataset.spans = spans.join("|");
    }
    const kang = preset && $("option-kang").value === "true";
    $("setup-field").hidden = preset ? kang : "kang" in ($("rules").selectedOptions[0]?.dataset || {});
  }

  // The chosen preset from the server: its name and options; null until loaded.
  let preset = null, described = 0;
  const optionFields = [...$("options").querySelectorAll("[data-option]")];

  // rulesText returns the rules set in the form.
  function rulesText() {
    if (!preset) return $("rules").value;
    const changes = optionFields.filter((f) => f.value !== preset.options[f.dataset.option]).map((f) => `${f.dataset.option}=${f.value}`);
    return preset.name + (changes.length ? ":" + changes.join(",") : "");
  }

  // describe shows the rules in words; of another preset it fills in the options too.
  async function describe() {
    const mine = ++described;
    const [r, problem] = await request("/api/rules?rules=" + encodeURIComponent(rulesText()));
    if (mine !== described) return;
    $("form-problem").textContent = problem || "";
    if (problem) return;
    if (!preset) {
      for (const f of optionFields) f.value = r.options[f.dataset.option];
      preset = { name: r.name, options: r.options };
    }
    $("prose").replaceChildren(...r.prose.flatMap((s) => [make("h3", {}, s.heading), ...s.paragraphs.map((p) => make("p", {}, p))]));
    form();
  }
  $("rules").addEventListener("change", () => { preset = null; describe(); });
  $("options").addEventListener("change", describe);
  $("form").addEventListener("change", form);
  $("form").addEventListener("submit", async (e) => {
    e.preventDefault();
    const f = new FormData($("form"));
    $("form-problem").textContent = "";
    const q = { agent: f.get("agent"), time: $("time-field").hidden ? 0 : +f.get("time"), rules: rulesText(), side: f.get("side"), setup: f.get("setup") };
    const [state, problem] = await request("/api/games", q);
    if (problem) { $("form-problem").textContent = problem; return; }
    announced = 0;
    show(state);
    $("play").scrollIntoView({ block: "start" });
    input.focus();
  });

  // request returns the response of the server, or an error message.
  async function request(path, body, signal) {
    try {
      const r = await fetch(path, body === undefined ? { signal } : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal });
      const answer = r.headers.get("Content-Type") === "application/json" ? await r.json() : { error: `the server responded with ${r.status}` };
      return r.ok ? [answer, null] : [null, answer.error || `the server responded with ${r.status}`];
    } catch (e) {
      return [null, e.name === "AbortError" ? "" : "the server can't be reached"];
    }
  }

  // ---- the game

  const over = () => S.result || S.problem;
  const before = (i) => { let p = B.parsePosition(S.opening); for (const t of S.moves.slice(0, i)) p = B.apply(p, B.parseMove(t)); return p; };

  function show(state) {
    if (S && S.id === state.id && state.version < S.version) return;
    if (!S || S.moves.length !== state.moves.length) advice = null;
    S = state;
    history.replaceState(null, "", "#game=" + S.id);
    $("new").hidden = true; $("play").hidden = false;
    input.show(onBoard());
    prompted = input.prompt();
    const south = S.you === "south";
    $("sides").replaceChildren(make("b", { class: "dot-n" }, "North: " + (south ? S.agent : "you")), make("b", { class: "dot-s" }, "South: " + (south ? "you" : S.agent)), make("span", {}, S.rules));
    announceMoves(); draw(); list();
    if (S.waiting) wait();
  }

  // wait requests the state until the game has a later one.
  async function wait() {
    poll?.abort();
    const mine = (poll = new AbortController());
    const [state, problem] = await request(`/api/games/${S.id}?after=${S.version}`, undefined, mine.signal);
    if (mine.signal.aborted || mine !== poll) return;
    poll = null;
    if (state) show(state);
    else { showProblem(problem); setTimeout(() => S && S.waiting && !poll && wait(), 2000); }
  }

  async function act(name, body = {}) {
    if (requesting) return false;
    requesting = true;
    showProblem("");
    const [state, problem] = await request(`/api/games/${S.id}/${name}`, body);
    requesting = false;
    if (problem) { showProblem(problem); return false; }
    poll?.abort(); poll = null;
    show(state);
    return true;
  }

  const showProblem = (text) => { $("problem").textContent = text ? text[0].toUpperCase() + text.slice(1) + "." : ""; };

  async function go(text) { await act("move", { ply: S.moves.length, move: text }); }

  // onBoard is what the board shows of the last state.
  function onBoard() {
    const p = B.parsePosition(S.position), n = S.moves.length;
    let scene = { position: p };
    if (advice) scene = { position: p, move: B.parseMove(advice.line[0]), before: p };
    else if (n) scene = { position: p, move: B.parseMove(S.moves[n - 1]), before: before(n - 1) };
    return { position: p, scene, sources: S.sources, placing: S.placing, hands: S.placing || p.kang, turned: S.you === "north" };
  }

  // draw shows all that depends on what is picked.
  function draw() {
    $("course").textContent = input.preview() || (advice && advice.line[0]) || "";
    $("headline").textContent = headline();
    $("undo").disabled = !S.undo; $("hint").disabled = !!over() || S.waiting || S.placing; $("resign").disabled = !!over();
    $("play").classList.toggle("thinking", S.waiting && !over());
    drawAdvice();
  }

  function headline() {
    const problem = S.problem ? S.problem[0].toUpperCase() + S.problem.slice(1) + "." : "";
    if (S.result) return { you: "You won", agent: "You lost", none: "It is a draw" }[S.winner] + `, ${S.result} (${S.reason}). ${problem}`.trimEnd();
    if (problem) return problem;
    if (S.waiting) return `${S.agent} is thinking …`;
    return "Your turn. " + input.prompt();
  }

  const announce = (text) => { $("announcement").textContent = text; };

  // announceMoves announces the new moves to screen readers.
  function announceMoves() {
    const parts = [];
    if (S.moves.length < announced) parts.push("Taken back.");
    let p = before(Math.min(announced, S.moves.length));
    for (const t of S.moves.slice(announced)) { const m = B.parseMove(t); parts.push(B.describeMove(p, m)); p = B.apply(p, m); }
    announced = S.moves.length;
    parts.push(headline());
    announce(parts.slice(-6).join(" "));
  }

  function list() {
    let p = B.parsePosition(S.opening);
    $("moves").replaceChildren(...S.moves.map((t, i) => {
      const m = B.parseMove(t), side = B.mover(p, m);
      p = B.apply(p, m);
      return make("li", i === S.moves.length - 1 ? { "aria-current": "true" } : {}, make("span", { class: "n " + (side ? "dot-n" : "dot-s") }, String(i + 1)), make("span", { class: "m" }, t), make("span", { class: "v" }, S.info[i].split(",")[0]));
    }));
    $("moves").scrollTop = $("moves").scrollHeight;
  }

  function drawAdvice() {
    const box = $("advice"), key = JSON.stringify([advice, over() && S.kept, S.result]);
    if (box.dataset.shown === key) return;
    box.dataset.shown = key;
    box.replaceChildren();
    if (over()) {
      if (S.kept) box.append(make("p", {}, make("a", { href: "/run/" + S.kept }, "Look at the game again"), ": it is recorded among the runs."));
      return;
    }
    if (!advice) return;
    let p = B.parsePosition(S.position);
    const line = advice.line.map((t) => { const m = B.parseMove(t), words = B.describeMove(p, m); p = B.apply(p, m); return make("li", {}, make("span", { class: "m" }, t), make("span", { class: "sr" }, " " + words)); });
    box.append(make("p", {}, make("b", {}, "Hint"), advice.info ? ` (${advice.info}): the line expected` : ": the move proposed"), make("ol", { class: "line" }, ...line));
  }

  $("undo").addEventListener("click", () => act("undo"));
  $("hint").addEventListener("click", async () => {
    if (requesting) return;
    showProblem("");
    $("hint").disabled = true;
    $("hint").textContent = "Searching …";
    const id = S.id, [answer, problem] = await request(`/api/games/${id}/hint`, { ply: S.moves.length });
    $("hint").textContent = "Hint";
    if (S.id !== id) return;
    if (problem) showProblem(problem);
    else if (answer.ply === S.moves.length) { advice = answer; input.show(onBoard()); }
    draw();
  });
  let confirming = 0;
  $("resign").addEventListener("click", () => {
    if (confirming) { clearTimeout(confirming); confirming = 0; $("resign").textContent = "Resign"; return void act("resign"); }
    $("resign").textContent = "Resign: sure?";
    confirming = setTimeout(() => { confirming = 0; $("resign").textContent = "Resign"; }, 4000);
  });
  $("again").addEventListener("click", () => {
    poll?.abort(); poll = null;
    S = null; announced = 0;
    history.replaceState(null, "", location.pathname);
    $("play").hidden = true; $("new").hidden = false;
    $("agent").focus();
  });

  async function start() {
    form();
    describe();
    const id = new URLSearchParams(location.hash.slice(1)).get("game");
    if (!id || !/^[A-Z0-9]{10,40}$/.test(id)) return;
    const [state, problem] = await request("/api/games/" + id);
    if (state) { announced = state.moves.length; show(state); } else $("form-problem").textContent = problem;
  }
  start();
})();
