"use strict";
// The page to analyse: a tree of variations from a position, and the best lines
// of the position shown. The server has the rules and searches. The address
// holds it all: #rules=…&position=…&moves=…&at=N. Variations stand in parentheses
// behind the move that they replace, and N counts the moves to the one shown.
(() => {
  const B = gygesBoard, { $, make, request, sentence, keepFocus, patiently } = gygesPage;
  const maxNodes = 2000, maxPlies = 1000, maxAddress = 60000;
  const showProblem = (text) => { $("problem").textContent = sentence(text); };
  const announce = (text) => { $("announcement").textContent = text; };

  // ---- the tree: a node is a position, made by its move from its parent's

  let rules = "standard", root = null, current = null;
  let wanted = null; // the node that is shown once the server has answered
  let page = 0; // counts the positions asked for, so that late answers are passed over
  let skip = null; // ends the motion of a move
  let leaving = false; // the next address is that of another tree; the browser's button leads back to the last one
  let editing = null; // the position being edited
  let turned = false;

  // A node's state is the server's answer; its position is by the moves alone.
  function newNode(parent, text, start) {
    const position = parent ? B.apply(parent.position, B.parseMove(text)) : B.parsePosition(start);
    return { parent, text, move: parent ? short(text) : "", ply: parent ? parent.ply + 1 : 0, children: [], position, state: null, lines: null, score: null };
  }
  function path(node) {
    const list = [];
    for (; node.parent; node = node.parent) list.unshift(node);
    return list;
  }
  const end = (node) => { while (node.children.length) node = node.children[0]; return node; };
  const all = (node, list = []) => { for (const c of node.children) { list.push(c); all(c, list); } return list; };

  // short is a move in short notation, from either one.
  function short(text) {
    const m = B.parseMove(text), from = m.from === null ? "+" + m.height : B.nameOf(m.from);
    if (m.kind !== "move") return text;
    if (m.to === -1) return from + "-goal";
    return from + (m.drop === null ? "-" + B.nameOf(m.to) : `x${B.nameOf(m.to)}@${B.nameOf(m.drop)}`);
  }

  // child is the node after a move from a node, made if there is none yet; null if there are
  // too many.
  function child(node, text) {
    const move = short(text), known = node.children.find((c) => c.move === move);
    if (known) return known;
    if (all(root).length >= maxNodes || node.ply >= maxPlies) {
      showProblem("there are too many moves; delete a variation first");
      return null;
    }
    node.children.push(newNode(node, text));
    return node.children[node.children.length - 1];
  }

  // written is the tree below a node as text.
  function written(node) {
    const [main, ...others] = node.children;
    if (!main) return "";
    return [main.move, ...others.map((c) => `( ${[c.move, written(c)].filter(Boolean).join(" ")} )`), written(main)].filter(Boolean).join(" ");
  }

  // order lists the nodes in the order of the text.
  function order(node) {
    const [main, ...others] = node.children;
    return main ? [main, ...others.flatMap((c) => [c, ...order(c)]), ...order(main)] : [];
  }

  // readMoves adds moves of a text below a node. It returns false at what is no move.
  function readMoves(node, text) {
    const stack = [];
    let at = node;
    for (const token of text.split(/\s+/).filter(Boolean)) {
      if (token === "(") {
        if (!at.parent || stack.length >= maxNodes) return false;
        stack.push(at);
        at = at.parent;
      } else if (token === ")") {
        if (!stack.length) return false;
        at = stack.pop();
      } else {
        try { at = token.length > 512 ? null : child(at, token); } catch { return false; }
        if (!at) return false;
      }
    }
    return true;
  }

  // ---- the server

  // ask requests a position; mine is the number of the request.
  const ask = (query, mine) => patiently(request("/api/position", query), () => { if (mine === page) showProblem("waiting for the server"); });

  // begin sets up a position, and shows it if it is one. The tree is new.
  async function begin(query, moves = "", at = 0) {
    const mine = ++page;
    const [state, problem] = await ask(query, mine);
    if (mine !== page) return false;
    if (problem) { showProblem(problem); return false; }
    leaving = root !== null && location.hash === address;
    rules = state.rules;
    root = newNode(null, "", state.start);
    root.state = state;
    edit(false);
    const whole = readMoves(root, moves);
    await visit(order(root)[at - 1] || root);
    if (!whole) showProblem("the moves of this address can't all be read");
    return true;
  }

  // visit shows a node. One that the rules don't allow is removed.
  async function visit(node) {
    if (!node) return;
    const mine = ++page;
    wanted = node;
    showProblem("");
    if (!node.state) {
      const line = path(node);
      const [state, problem] = await ask({ rules, position: root.state.start, moves: line.map((n) => n.move) }, mine);
      if (mine !== page) return;
      showProblem("");
      if (problem) {
        wanted = null;
        if (problem.startsWith("moves: ")) { // it is illegal
          node.parent.children = node.parent.children.filter((c) => c !== node);
          await visit(node.parent);
        }
        return showProblem(problem);
      }
      node.state = state;
      line.forEach((n, i) => { n.text = state.moves[i]; });
    }
    const before = current, moved = node !== before;
    current = node;
    wanted = null;
    show(moved ? since(before) : []);
    if (moved) { said(); restart(); }
  }

  // ---- what is shown

  const input = gygesInput.create($("table"), { move: (text) => visit(child(current, text)), change: prompt, problem: showProblem, edit: put, carry });

  // scene is what the board shows of a node: the move that led there, if there is one.
  function scene(node) {
    const { parent, position } = node;
    return parent ? { position, move: B.parseMove(node.text), before: parent.position } : { position };
  }

  // since lists the moves from a node to the current one that are shown one after another:
  // those made by a click on a line at most.
  function since(node) {
    const list = path(current).slice(-shownMoves), at = list.findIndex((n) => n.parent === node);
    return at < 0 ? [] : list.slice(at).map(scene);
  }

  // showBoard shows the current node on the board, after the motion of the moves that led there.
  function showBoard(moves = []) {
    skip?.();
    const S = current.state, p = B.parsePosition(S.position), placing = S.placing, hands = placing || p.kang;
    if (!moves.length || gygesMotion.isOff()) return input.show({ position: p, scene: { ...scene(current), position: p }, sources: S.sources, placing, hands, turned, editing: false });
    const { before } = moves[0];
    input.show({ position: before, scene: { position: before }, sources: [], placing, hands: hands || moves.some((m) => m.move.kind === "place"), turned, editing: false });
    skip = gygesMotion.play(input.board(), moves, () => { skip = null; showBoard(); prompt(); });
  }
  const skipAll = () => skip?.();
  $("table").addEventListener("pointerdown", skipAll, true);
  $("table").addEventListener("keydown", skipAll, true);
  gygesMotion.choose($("speed"));

  // show shows the current node, and the moves that led there in motion.
  function show(moves = []) {
    const S = current.state;
    showBoard(moves);
    $("text").value = S.position;
    $("pass").hidden = !S.pass;
    chooseRules();
    prompt(); drawTree(); drawLines(); writeAddress();
  }

  function prompt() {
    if (editing || !current) return;
    const S = current.state, turn = S.turn === "south" ? "South" : "North";
    $("course").textContent = input.preview() || current.text;
    if (S.result) $("headline").textContent = `The game is over: ${S.result} (${S.reason}).`;
    else if (S.pass) $("headline").textContent = `${turn} must pass.`;
    else $("headline").textContent = `${turn} ${S.placing ? "places a piece" : "to move"}. ${input.prompt()}`.trimEnd();
  }

  // said announces the move that led to the current node.
  function said() {
    const words = current.parent ? B.describeMove(current.parent.position, B.parseMove(current.text)) : "The first position.";
    announce(`${words} ${$("headline").textContent}`);
  }

  function chooseRules() {
    if (![...$("rules").options].some((o) => o.value === rules)) $("rules").append(make("option", { value: rules, "data-doc": "a rule set of your own" }, rules));
    $("rules").value = rules;
    $("rules-doc").textContent = $("rules").selectedOptions[0].dataset.doc;
  }

  function drawTree() {
    const focused = $("tree").contains(document.activeElement);
    $("tree").replaceChildren(...variation(root.children[0]));
    if (!root.children.length) $("tree").append(make("p", { class: "note" }, "Make moves on the board. Another move at an earlier position begins a variation."));
    const marked = $("tree").querySelector("[aria-current]");
    if (marked) {
      const box = $("tree"), top = marked.offsetTop;
      if (top < box.scrollTop || top + marked.offsetHeight > box.scrollTop + box.clientHeight) box.scrollTop = top - box.clientHeight / 2;
      if (focused) marked.focus({ preventScroll: true });
    }
    $("first").disabled = $("back").disabled = $("delete").disabled = !current.parent;
    $("next").disabled = $("last").disabled = !current.children.length;
    $("promote").disabled = path(current).every((n) => n.parent.children[0] === n);
    keepFocus($("back").disabled ? $("next").disabled ? $("turn") : $("next") : $("back"));
  }

  // variation returns the elements of a node and those that follow, with the other variations
  // where they begin.
  function variation(node) {
    const list = [];
    for (; node; node = node.children[0]) {
      list.push(moveButton(node));
      const [main, ...others] = node.parent.children;
      if (main === node) list.push(...others.map((n) => make("div", { class: "variation", role: "group", "aria-label": "Variation" }, ...variation(n))));
    }
    return list;
  }

  function moveButton(node) {
    const side = B.mover(node.parent.position, B.parseMove(node.text));
    node.score = make("span", { class: "v" });
    drawScore(node);
    return make("button", { type: "button", class: "ply", ...(node === current ? { "aria-current": "true" } : {}), onclick: () => visit(node) },
      make("span", { class: "n " + (side ? "dot-n" : "dot-s") }, String(node.ply)), " ", node.text, node.score);
  }

  // drawScore shows the score of a node beside its move, if it is known: for the side that made the move.
  function drawScore(node) {
    const best = node.lines?.[0], known = best ? forMover(best) : node.parent?.lines?.find((l) => short(l.line[0]) === node.move);
    if (node.score) node.score.textContent = node.state?.result || (known ? " " + scoreText(known) : "");
  }

  // forMover is the result of a line for the side that made the move before it. A proven result is a ply further then.
  const forMover = ({ score, proven }) => ({ score: score === undefined ? undefined : -score, proven: proven && -proven - Math.sign(proven) });

  // ---- steps

  const here = () => wanted || current;
  const go = { first: () => root, back: () => here().parent, next: () => here().children[0], last: () => end(here()) };
  for (const id of Object.keys(go)) $(id).addEventListener("click", () => visit(go[id]()));
  $("pass").addEventListener("click", () => visit(child(current, "pass")));
  $("turn").addEventListener("click", () => {
    turned = !turned;
    $("turn").setAttribute("aria-pressed", String(turned));
    if (editing) drawEditor(); else show();
    drawBar();
  });
  // sibling is the variation so many places on.
  function sibling(by) {
    const list = here().parent ? here().parent.children : [];
    return list[list.indexOf(here()) + by];
  }
  document.addEventListener("keydown", (e) => {
    if (editing && /^[0-3]$/.test(e.key) && !e.target.closest("input[type=text]")) document.querySelector(`#editor [name=piece][value="${e.key}"]`).checked = true;
    if (!current || editing || e.altKey || e.ctrlKey || e.metaKey || e.shiftKey) return;
    if (e.target.closest("input, select, .cells")) return;
    if (e.key === "Escape") return input.clear();
    const to = { ArrowLeft: go.back, ArrowRight: go.next, Home: go.first, End: go.last, ArrowUp: () => sibling(-1), ArrowDown: () => sibling(1) }[e.key];
    const node = to?.();
    if (!node) return;
    e.preventDefault();
    visit(node);
  });
  // After a click the arrow keys step through the moves, not from square to square.
  $("table").addEventListener("click", (e) => { if (e.detail > 0) document.activeElement.blur(); });

  $("delete").addEventListener("click", () => {
    const gone = here();
    if (!gone.parent) return;
    leaving = true;
    gone.parent.children = gone.parent.children.filter((c) => c !== gone);
    visit(gone.parent);
  });
  $("promote").addEventListener("click", () => {
    for (const n of path(here())) n.parent.children = [n, ...n.parent.children.filter((c) => c !== n)];
    visit(here());
  });

  // ---- the analysis

  let on = true, stopped = false, running = null, timer = 0;
  const tab = tabName();
  const ends = { time: "stopped after a minute", yielded: "stopped, as another search was waiting; switch it on again", failed: "the search failed", done: "finished" };

  // tabName is a name of this tab, which stays when the page is loaded again.
  function tabName() {
    const name = [...crypto.getRandomValues(new Uint8Array(12))].map((n) => n.toString(16)).join("");
    try {
      sessionStorage.analysis ||= name;
      return sessionStorage.analysis.slice(0, 40);
    } catch { // there is no storage
      return name;
    }
  }

  const progress = (text) => { if ($("progress").textContent !== text) $("progress").textContent = text; };

  // restart analyses the current node, in a moment: steps may follow each other fast.
  function restart() {
    clearTimeout(timer);
    running?.abort();
    running = null;
    stopped = false;
    $("switch").setAttribute("aria-pressed", String(on));
    const S = current.state;
    if (!on || editing) return progress("");
    if (S.result) return progress("the game is over");
    if (S.placing) return progress("begins when all pieces are placed");
    progress("…");
    timer = setTimeout(() => analyse(current), 200);
  }

  async function analyse(node) {
    const mine = (running = new AbortController()), multi = $("multi").value;
    let ended = false;
    const q = new URLSearchParams({ rules, position: root.state.start, moves: path(node).map((n) => n.move).join(" "), multi, page: tab });
    const handle = {
      lines: (lines) => {
        progress("searching");
        if (node.multi !== multi || !node.lines || lines[0].depth >= node.lines[0].depth) { node.lines = lines; node.multi = multi; }
        drawLines();
        [node, ...node.children].forEach(drawScore);
      },
      end: (why) => { ended = true; stopped = why !== "done"; progress(ends[why]); announce(`Analysis: ${ends[why]}.`); },
    };
    progress("waiting for a free search");
    let problem = await receive("/api/analyse?" + q, mine.signal, (name, data) => { if (running === mine) handle[name]?.(data); });
    if (running !== mine) return;
    running = null;
    if (!ended) problem ||= "the server ended the search; switch it on again";
    if (problem) { stopped = true; progress(problem); announce(`Analysis: ${problem}.`); }
  }

  // receive passes server-sent events to act, and returns why there are none.
  async function receive(path, signal, act) {
    try {
      const r = await fetch(path, { signal });
      if (!r.ok) return r.headers.get("Content-Type") === "application/json" ? (await r.json()).error : `the server responded with ${r.status}`;
      const reader = r.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let rest = ""; ; ) {
        const { value, done } = await reader.read();
        if (done) return "";
        const list = (rest + value).split("\n\n");
        rest = list.pop();
        for (const text of list) {
          const event = /^event: (\w+)\ndata: ?(.*)$/.exec(text);
          if (event) act(event[1], event[2] && JSON.parse(event[2]));
        }
      }
    } catch {
      return signal.aborted ? "" : "the server can't be reached";
    }
  }

  const scoreText = (l) => {
    if (l.score === undefined) return "–";
    if (l.proven) return `${l.proven > 0 ? "wins" : "loses"} in ${Math.abs(l.proven)}`;
    return (l.score > 0 ? "+" : l.score < 0 ? "−" : "") + (Math.abs(l.score) / 100).toFixed(2);
  };

  // While the mouse is pressed the lines stay as they are, or a click would miss its move.
  let held = false;
  $("lines").addEventListener("pointerdown", () => { held = true; });
  for (const name of ["pointerup", "pointercancel"]) addEventListener(name, () => setTimeout(() => { if (held) { held = false; drawLines(); } }));

  const shownMoves = 6; // of a line
  function drawLines() {
    if (held) return;
    const lines = current.lines || [];
    const focused = $("lines").contains(document.activeElement) && document.activeElement.dataset.at;
    $("lines").replaceChildren(...lines.map((l, i) => make("li", {},
      make("span", { class: "score" + (l.proven > 0 ? " wins" : l.proven < 0 ? " loses" : "") }, scoreText(l)), make("span", { class: "depth" }, `depth ${l.depth}`),
      make("span", { class: "moves-line" }, ...l.line.slice(0, shownMoves).map((t, j) => make("button", { type: "button", class: "m", "data-at": `${i} ${j}`, onclick: (e) => { if (e.detail < 2) playLine(l.line.slice(0, j + 1)); } }, t)), l.line.length > shownMoves ? "…" : ""))));
    if (focused) [...$("lines").querySelectorAll("button")].find((b) => b.dataset.at === focused)?.focus({ preventScroll: true });
    $("lines-note").hidden = !lines.length;
    if (lines.length) {
      const nodes = Math.max(...lines.map((l) => l.nodes)), seconds = Math.max(...lines.map((l) => l.seconds));
      $("lines-note").textContent = `${nodes.toLocaleString("en")} nodes in ${seconds.toFixed(1)} s. The scores are in points for the side to move; beside a move, for the side that made it.`;
    }
    keepRoom();
    drawBar();
  }

  // keepRoom keeps the height of the lines while positions are analysed, so that the moves below stay where they are.
  let room = 0; // pixels
  function keepRoom() {
    $("found").style.minHeight = "";
    room = on ? Math.max(room, $("found").getBoundingClientRect().height) : 0;
    $("found").style.minHeight = room + "px";
  }
  addEventListener("resize", () => { room = 0; keepRoom(); });

  // playLine makes the moves of a line.
  function playLine(moves) {
    let node = current;
    for (const text of moves) node = node && child(node, text);
    visit(node);
  }

  // drawBar shows the probability that South wins.
  function drawBar() {
    const best = current.lines?.[0], south = current.state.turn === "south", result = current.state.result;
    let share = null;
    if (editing) share = null;
    else if (result) share = { "1-0": 1, "0-1": 0 }[result] ?? 0.5;
    else if (best && best.win_probability !== undefined) share = south ? best.win_probability : 1 - best.win_probability;
    $("bar").classList.toggle("empty", share === null);
    $("bar").classList.toggle("turned", turned);
    $("bar-south").style.height = 100 * (share ?? 0.5) + "%";
    $("bar").setAttribute("aria-label", result ? "The result: " + result : best ? `Evaluation for ${south ? "South" : "North"}: ${scoreText(best)}` : "No evaluation");
  }

  addEventListener("pagehide", () => { clearTimeout(timer); running?.abort(); });
  addEventListener("pageshow", (e) => { if (e.persisted) restart(); });
  $("switch").addEventListener("click", () => { on = !on || stopped; restart(); keepRoom(); });
  $("multi").addEventListener("change", () => { room = 0; current.lines = null; drawLines(); restart(); });

  // ---- setting up

  $("rules").addEventListener("change", async () => {
    const r = $("rules").value, now = current.state.position;
    if (!(await begin({ rules: r, position: now })) && (await begin({ rules: r, setup: "random" }))) showProblem(`the position can't be one of these rules, and another one was drawn; the browser's Back leads to the last one`);
  });
  $("random").addEventListener("click", () => begin({ rules, setup: "random" }));
  $("beginning").addEventListener("click", () => begin({ rules }));
  $("text-form").addEventListener("submit", (e) => { e.preventDefault(); begin({ rules, position: $("text").value }); });

  const radio = (name) => document.querySelector(`#editor [name=${name}]:checked`).value;

  // edit begins or ends the editing of the pieces.
  function edit(begun) {
    skip?.();
    editing = begun ? B.parsePosition(current.state.position) : null;
    if (editing && !editing.kang) editing.hands = [[0, 0, 0], [0, 0, 0]]; // all pieces are put on squares
    $("editor").hidden = !begun;
    $("edit").setAttribute("aria-pressed", String(begun));
    $("analyse").classList.toggle("editing", begun);
    if (!begun) return;
    document.querySelector(`#editor [name=side][value=${"sn"[editing.side]}]`).checked = true;
    $("kang-fields").hidden = !editing.kang;
    if (editing.kang) {
      [$("goals").value, $("took").value] = current.state.position.split(" ").slice(3);
    }
    showProblem("");
    restart();
    drawEditor();
    drawBar();
  }

  function drawEditor() {
    $("headline").textContent = "Click squares to put pieces on them or to remove them" + (editing.kang ? ", and hands to change the number of pieces there" : "") + ". Drag pieces to move them.";
    $("course").textContent = "";
    input.show({ position: editing, scene: null, sources: [], placing: false, hands: editing.kang, turned, editing: true });
    const all = [...editing.board, ...editing.hands.flatMap((hand) => hand.flatMap((n, i) => Array(n).fill(i + 1)))];
    const wrong = [1, 2, 3].map((h) => [h, pieces - all.filter((x) => x === h).length]).filter(([, n]) => n !== 0);
    $("missing").textContent = wrong.length ? sentence(wrong.map(([h, n]) => `${Math.abs(n)} of height ${h} ${n > 0 ? "missing" : "too many"}`).join(", ")) : "All pieces are there.";
  }

  const pieces = 4; // of each height

  const squareOf = (name) => [...Array(36).keys()].find((i) => B.nameOf(i) === name);

  // carry puts a piece of the position being edited on another square.
  function carry(from, to) {
    const a = squareOf(from), b = squareOf(to);
    [editing.board[a], editing.board[b]] = [0, editing.board[a]];
    drawEditor();
    announce(`${from} to ${to}`);
  }

  // put puts a piece on a square of the position being edited, or changes a hand.
  function put(name) {
    const s = squareOf(name), height = +radio("piece");
    if (s !== undefined) editing.board[s] = editing.board[s] === height ? 0 : height;
    else if (name.startsWith("hand")) {
      const hand = editing.hands["sn".indexOf(name[5])];
      hand[name[6] - 1] = (hand[name[6] - 1] + 1) % (pieces + 1);
    }
    drawEditor();
    announce($("table").querySelector(`[data-at="${name}"]`).getAttribute("aria-label"));
  }

  const toggleEditor = (begun) => { edit(begun); if (!begun) { show(); restart(); } };
  $("edit").addEventListener("click", () => toggleEditor(!editing));
  $("cancel").addEventListener("click", () => toggleEditor(false));
  $("clear").addEventListener("click", () => { editing.board.fill(0); editing.hands = [[0, 0, 0], [0, 0, 0]]; drawEditor(); });
  $("editor").addEventListener("submit", (e) => {
    e.preventDefault();
    const fields = [B.rows(editing), radio("side")];
    if (editing.kang) fields.push(editing.hands.map((hand) => hand.join("")).join("/"), $("goals").value, $("took").value);
    begin({ rules, position: fields.join(" ") });
  });

  // ---- the address, and copies

  let address = "";
  function writeAddress() {
    const q = new URLSearchParams({ rules, position: root.state.start });
    if (root.children.length) { q.set("moves", written(root)); q.set("at", String(order(root).indexOf(current) + 1)); }
    const text = "#" + q;
    if (text.length > maxAddress) return;
    address = text;
    if (location.hash !== text) history[leaving ? "pushState" : "replaceState"](null, "", text);
    leaving = false;
  }

  function readAddress() {
    const q = new URLSearchParams(location.hash.length > maxAddress ? "" : location.hash.slice(1));
    if (!q.has("position")) return begin({ rules: q.get("rules") || rules, setup: "random" });
    return begin({ rules: q.get("rules") || rules, position: q.get("position") }, q.get("moves") || "", parseInt(q.get("at"), 10) || 0);
  }
  addEventListener("hashchange", () => { if (location.hash !== address && location.hash.includes("=")) readAddress(); });

  async function copy(text, otherwise) {
    try {
      await navigator.clipboard.writeText(text);
      $("copied").textContent = "copied";
    } catch { // only pages of this machine or by TLS may
      $("copied").textContent = otherwise;
    }
    setTimeout(() => { $("copied").textContent = ""; }, 4000);
  }
  $("copy-text").addEventListener("click", () => { $("text").select(); copy($("text").value, "selected; press Ctrl+C"); });
  $("copy-link").addEventListener("click", () => copy(location.href, "it is the address of this page"));

  async function start() {
    if (!(await readAddress()) && !current) {
      const problem = $("problem").textContent;
      await begin({ rules: "standard", setup: "random" });
      showProblem(problem.replace(/\.$/, ""));
    }
  }
  start();
})();
