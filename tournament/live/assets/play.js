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
  let board = null, cells = new Map(), shape = "";
  let from = null, to = null; // what has been picked: a source, and where it is to displace a piece
  let pointed = null; // the square under the pointer or with the focus
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
    focusCell();
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
  const sources = () => new Map(S.sources.map((s) => [s.from, s]));
  const ends = () => new Map((from === null ? [] : sources().get(from)?.ends || []).map((e) => [e.to, e]));
  const before = (i) => { let p = B.parsePosition(S.opening); for (const t of S.moves.slice(0, i)) p = B.apply(p, B.parseMove(t)); return p; };

  function show(state) {
    if (S && S.id === state.id && state.version < S.version) return;
    if (!S || S.moves.length !== state.moves.length || S.version !== state.version) { from = to = pointed = null; }
    if (!S || S.moves.length !== state.moves.length) advice = null;
    S = state;
    if (S.sources.length === 1 && !S.placing) from = S.sources[0].from; // nothing else can be picked
    history.replaceState(null, "", "#game=" + S.id);
    $("new").hidden = true; $("play").hidden = false;
    const hands = S.placing || B.parsePosition(S.position).kang;
    if (!board || shape !== S.id + hands) {
      const focused = $("table").contains(document.activeElement) || $("hand").contains(document.activeElement);
      layOut(hands);
      if (focused) focusCell();
    }
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
    if (problem) { showProblem(problem); draw(); return false; }
    poll?.abort(); poll = null;
    show(state);
    return true;
  }

  const showProblem = (text) => { $("problem").textContent = text ? text[0].toUpperCase() + text.slice(1) + "." : ""; };

  // layOut makes the board: a picture, and a button on every square and goal.
  function layOut(hands) {
    shape = S.id + hands;
    board = B.create({ hands });
    board.element.setAttribute("aria-hidden", "true");
    const [, , w, h] = board.element.getAttribute("viewBox").split(" ").map(Number);
    const grid = make("div", { class: "cells", role: "group", "aria-label": "Board, from South’s side; arrow keys go from square to square" });
    cells = new Map();
    const cell = (name, rect) => {
      const b = make("button", { type: "button", class: "cell", "data-at": name, tabindex: "-1" });
      const n = (k) => +rect.getAttribute(k);
      b.style.left = (100 * n("x")) / w + "%"; b.style.top = (100 * n("y")) / h + "%";
      b.style.width = (100 * n("width")) / w + "%"; b.style.height = (100 * n("height")) / h + "%";
      b.addEventListener("click", () => pick(name));
      b.addEventListener("pointerenter", (e) => { if (e.pointerType === "mouse") point(name); });
      b.addEventListener("pointerleave", () => point(null));
      b.addEventListener("focus", () => { rove(name); point(name); });
      b.addEventListener("blur", () => point(null));
      cells.set(name, b);
      grid.append(b);
    };
    cell("goal-n", board.element.querySelector(".goal.s")); // South's aim, beyond North's row
    for (let row = 6; row >= 1; row--) for (const f of "abcdef") cell(f + row, board.element.querySelector(`[data-square="${f}${row}"]`));
    cell("goal-s", board.element.querySelector(".goal.n"));
    grid.addEventListener("keydown", keys);
    $("table").replaceChildren(board.element, grid);
    rove("a1");
  }

  const goal = () => (S.you === "south" ? "goal-n" : "goal-s");
  const endAt = (name) => (name === goal() ? "goal" : name.startsWith("goal") ? null : name);

  function rove(name) { for (const [n, b] of cells) b.tabIndex = n === name ? 0 : -1; }
  function focusCell() { [...cells.values()].find((b) => b.tabIndex === 0)?.focus({ preventScroll: true }); }

  function keys(e) {
    if (e.altKey || e.ctrlKey || e.metaKey) return;
    if (e.key === "Escape") { deselect(); return; }
    const d = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[e.key], name = e.target.dataset.at;
    if (!d || !name) return;
    e.preventDefault();
    let f = "abcdef".indexOf(name[0]), r = +name[1];
    if (name.startsWith("goal")) { f = keys.file ?? 2; r = name === "goal-n" ? 7 : 0; } else keys.file = f;
    f = Math.max(0, Math.min(5, f + (r % 7 ? d[0] : 0))); r = Math.max(0, Math.min(7, r + d[1]));
    cells.get(r === 0 ? "goal-s" : r === 7 ? "goal-n" : "abcdef"[f] + r).focus();
  }

  function deselect() { from = to = null; draw(); announce(prompt()); }

  // moveText is the move that has been picked with a square to end on or to drop on.
  function moveText(end, drop) { return drop ? end.course.replace(/@..$/, "@" + drop) : end.course; }

  // pick handles a click on a square.
  function pick(name) {
    if (requesting || over() || S.waiting) return;
    showProblem("");
    const at = endAt(name), open = ends();
    if (to !== null) {
      const end = open.get(to);
      if (end.drops.includes(at)) return void go(moveText(end, at));
      if (at === to || at === from) { to = null; return void (draw(), announce(prompt())); }
      return showProblem(`the piece on ${to} can't go to ${at || "that goal"}; press Esc to choose again`);
    }
    if (from !== null && open.has(at)) {
      const end = open.get(at);
      if (!end.drops) return void go(end.course);
      if (end.drops.length === 1) return void go(end.course);
      to = at;
      return void (draw(), announce(prompt()));
    }
    if (at === from && S.sources.length > 1) return deselect();
    if (sources().has(at)) { from = at; draw(); return void announce(prompt()); }
    if (S.placing) return showProblem(from === null ? "choose a piece of your hand first" : "place it on an empty square of your set-up zone");
    if (from !== null) return showProblem(at === null ? "that is your own goal" : `the piece can't end on ${at}`);
    const height = at && at !== "goal" && B.parsePosition(S.position).board[square(at)];
    showProblem(height ? "that piece can't be moved now: it must be one of the row nearest to you that can move" : "choose a piece that is marked");
  }
  const square = (name) => name.charCodeAt(0) - 97 + 6 * (name.charCodeAt(1) - 49);

  async function go(text) {
    const keep = from;
    const placing = S.placing;
    if (await act("move", { ply: S.moves.length, move: text })) {
      if (placing && S.placing && sources().has(keep)) { from = keep; draw(); }
    }
  }

  // point shows the course to the square pointed at.
  function point(name) {
    const at = name && endAt(name);
    if (at === pointed) return;
    pointed = at;
    if (from !== null && !requesting) draw();
  }

  // previewed is the move to draw: the one pointed at, the one advised, or the last.
  function previewed() {
    const open = ends();
    const short = (end) => (end.drops ? end.course.replace(/@..$/, "") : end.course);
    if (to !== null) return open.get(to).drops.includes(pointed) ? moveText(open.get(to), pointed) : short(open.get(to));
    if (from !== null && pointed !== null && open.has(pointed)) return short(open.get(pointed));
    return null;
  }

  function draw() {
    const p = B.parsePosition(S.position), n = S.moves.length, text = previewed();
    if (S.placing) p.kang = false;
    $("course").textContent = text || (advice && advice.line[0]) || "";
    if (text) board.draw({ position: p, move: B.parseMove(text), before: p });
    else if (advice) board.draw({ position: p, move: B.parseMove(advice.line[0]), before: p });
    else if (n && from === null || n && S.sources.length === 1) board.draw({ position: p, move: B.parseMove(S.moves[n - 1]), before: before(n - 1) });
    else board.draw({ position: p });
    const open = ends(), list = sources(), drops = to !== null ? open.get(to).drops : null;
    for (const [name, b] of cells) {
      const at = endAt(name), h = at && at !== "goal" ? p.board[square(at)] : 0, end = to === null && open.get(at);
      const classes = ["cell"], words = [at === "goal" ? "your goal" : at === null ? "the other goal" : at, h ? `height ${h}` : at === "goal" || at === null ? "" : "empty"];
      if (list.has(at)) { classes.push(from === null || at === from ? "source" : "source other"); if (from === null) words.push("can move"); }
      if (at !== null && at === from) { classes.push("picked"); words.push("picked"); }
      if (at !== null && at === to) { classes.push("picked"); words.push("to be displaced"); }
      if (drops ? drops.includes(at) : false) { classes.push("drop"); words.push("the displaced piece can go here"); }
      if (end) {
        classes.push(end.drops ? "displace" : "end");
        if (end.bounces) classes.push("bounced");
        words.push(S.placing ? "can be placed here" : (end.drops ? "can take its place" : "can end here") + (end.bounces ? ` after ${end.bounces} ${end.bounces === 1 ? "bounce" : "bounces"}` : ""));
      }
      b.className = classes.join(" ");
      b.setAttribute("aria-label", words.filter(Boolean).join(", "));
      b.setAttribute("aria-disabled", String(!(list.has(at) || end || (drops && drops.includes(at)) || at === to)));
    }
    hand(p);
    $("headline").textContent = headline();
    $("undo").disabled = !S.undo; $("hint").disabled = !!over() || S.waiting || S.placing; $("resign").disabled = !!over();
    $("play").classList.toggle("thinking", S.waiting && !over());
    drawAdvice();
  }

  // hand has a button for each height that can be brought in or placed.
  function hand(p) {
    const own = S.sources.filter((s) => !/^[a-f]/.test(s.from)), side = S.you === "south" ? 0 : 1;
    const focused = $("hand").contains(document.activeElement) && document.activeElement.dataset.from;
    $("hand").hidden = !own.length;
    $("hand").replaceChildren(...own.map((s) => {
      const height = +s.from.replace(/\D/g, "");
      return make("button", {
        type: "button", "data-from": s.from, "aria-pressed": String(from === s.from), "aria-label": `Height ${height}, ${p.hands[side][height - 1]} in hand`,
        onclick: () => { showProblem(""); if (from === s.from && S.sources.length > 1) from = null; else { from = s.from; to = null; } draw(); announce(prompt()); },
      }, `${p.hands[side][height - 1]} × height ${height}`);
    }));
    if (focused) [...$("hand").children].find((b) => b.dataset.from === focused)?.focus({ preventScroll: true });
  }

  // prompt returns an instruction for the next step.
  function prompt() {
    if (over() || S.waiting) return "";
    if (S.placing) return from === null ? "Choose a piece of your hand, then a square." : `Choose a square for the piece of height ${from[0]}.`;
    if (to !== null) return `Choose where the piece on ${to} goes.`;
    if (from === null) return "Choose one of the marked pieces" + (S.sources.some((s) => s.from[0] === "+") ? ", or one in your hand." : ".");
    const n = ends().size;
    return `The piece ${from[0] === "+" ? "of height " + from[1] + " in your hand" : "on " + from} can go to ${n} ${n === 1 ? "place" : "places"}.`;
  }

  function headline() {
    const problem = S.problem ? S.problem[0].toUpperCase() + S.problem.slice(1) + "." : "";
    if (S.result) return { you: "You won", agent: "You lost", none: "It is a draw" }[S.winner] + `, ${S.result} (${S.reason}). ${problem}`.trimEnd();
    if (problem) return problem;
    if (S.waiting) return `${S.agent} is thinking …`;
    return "Your turn. " + prompt();
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
      if (S.kept) box.append(make("p", {}, make("a", { href: "/run/" + S.kept }, "Look at the game again"), " or ", make("a", { href: `/run/${S.kept}&review` }, "review it"), ": it is recorded among the runs."));
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
    else if (answer.ply === S.moves.length) { advice = answer; from = to = null; }
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
