// The viewer of recorded games. It takes its data from the element viewer-data and
// builds itself in the element viewer. The fragment of the address says what is
// shown: #game=RUN.GAME&ply=N, or #ply=N on the page of a single game, or #list&rules=…&player=…&against=…&result=…&reason=….
// A page that changes calls update with the games that were recorded.
import { createBoard, describeMove, follow, mover, parsePosition } from "./board.js";
import { $, copy, el, formatted, keepInView, lineGraph, make, mark, moveItem, scoreText, setAddress } from "./dom.js";
import { createReview } from "./review.js";

// gridKeys makes each matrix one stop of the tab key, with arrows inside.
export function gridKeys(within = document) {
  for (const table of within.querySelectorAll("table.matrix")) {
    const rows = /** @type {HTMLTableRowElement[]} */ ([...table.querySelectorAll("tbody tr")]);
    const cells = rows.map((tr) => [...tr.cells].map((c) => /** @type {any} */ (c.querySelector("a, [tabindex]"))));
    const flat = cells.flat().filter(Boolean);
    flat.forEach((c, i) => (c.tabIndex = i ? -1 : 0));
    table.addEventListener("keydown", (/** @type {any} */ e) => {
      const d = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[e.key];
      const r = cells.findIndex((row) => row.includes(e.target));
      if (!d || r < 0) return;
      e.preventDefault();
      let i = r + d[0],
        j = cells[r].indexOf(e.target) + d[1];
      for (; j in (cells[i] ?? []); i += d[0], j += d[1]) {
        if (!cells[i][j]) continue;
        e.target.tabIndex = -1;
        cells[i][j].tabIndex = 0;
        cells[i][j].focus();
        return;
      }
    });
  }
}

gridKeys();

// createViewer builds the viewer of the games in data.
function createViewer(root, data) {
  const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const byID = new Map(data.games.map((g) => [g.id, g]));
  const listed = 500; // rows of the list
  const single = "single" in root.dataset ? data.games[0] : null; // the page is this game's
  const server = document.querySelector('.site a[href="/analyse"]'); // it has an analysis board, and pages of games
  const number = (id) => (data.runs.length > 1 ? id : id.split(".")[1]);

  const icon = (d) => {
    const s = el(null, "svg", { viewBox: "0 0 16 16", "aria-hidden": "true" });
    el(s, "path", { d });
    return s;
  };
  const icons = {
    first: "M2 2h2v12H2zM12 2l1.6 1.6L9.2 8l4.4 4.4L12 14 6 8z",
    back: "M10 2l1.6 1.6L7.2 8l4.4 4.4L10 14 4 8z",
    play: "M3 1l11 7-11 7z",
    pause: "M3 2h4v12H3zM9 2h4v12H9z",
    next: "M6 2l6 6-6 6-1.6-1.6L8.8 8 4.4 3.6z",
    last: "M12 2h2v12h-2zM4 2l6 6-6 6-1.6-1.6L6.8 8 2.4 3.6z",
    doorBack: "M10 4l1.3 1.3L8.6 8l2.7 2.7L10 12 6 8z",
    doorNext: "M6 4l4 4-4 4-1.3-1.3L7.4 8 4.7 5.3z",
  };
  const button = (name, label, key, act, ...words) =>
    make(
      "button",
      { type: "button", "aria-label": label, title: `${label} (${key})`, onclick: act, "data-act": name },
      ...(name === "doorNext" ? [...words, icon(icons[name])] : [icon(icons[name]), ...words]),
    );

  // ---- the list of games

  const filter = {};
  const select = (key, label, options) => {
    const s = make("select", { "data-key": key }, make("option", { value: "" }, "any"));
    s.onchange = () => {
      set(key, s.value);
      location.hash = listHash();
    };
    for (const [value, text] of options)
      s.append(make("option", { value }, text.length > 60 ? text.slice(0, 40) + "…" + text.slice(-18) : text));
    return make("label", {}, label, s);
  };
  const set = (key, value) => {
    if (value === "" || value === null) delete filter[key];
    else filter[key] = value;
  };
  const numbered = (list) => list.map((text, i) => [String(i), text]);
  const unique = (key) => [...new Set(data.games.map((g) => g[key]))].sort().map((v) => [v, v]);
  const picker = make("div", { class: "picker" });
  const drawPicker = () =>
    picker.replaceChildren(
      select("rules", "Rules", numbered(data.rules)),
      select("player", "Player", numbered(data.agents)),
      select("against", "Against", numbered(data.agents)),
      select("result", "Result", unique("result")),
      select("reason", "Reason", unique("reason")),
    );
  drawPicker();
  const found = make("p", { role: "status" }),
    absent = make("p", { role: "alert", class: "absent" });
  const body = make("tbody");
  const titles = ["Game", "Rules", "South", "North", "Result", "Reason", "Plies"],
    heads = titles.map((t) => make("th", { scope: "col" }, t));
  const table = make("table", {}, make("thead", {}, make("tr", {}, ...heads)), body);
  const list = make("div", { class: "games", role: "region", "aria-label": "List of games", tabindex: "0" }, table);

  const matches = (g) => {
    const plays = (key) => !(key in filter) || g.south === +filter[key] || g.north === +filter[key];
    const itself = filter.player !== undefined && filter.player === filter.against;
    return (
      (!("rules" in filter) || g.rules === +filter.rules) &&
      (!filter.result || g.result === filter.result) &&
      (!filter.reason || g.reason === filter.reason) &&
      (itself ? g.south === g.north && plays("player") : plays("player") && plays("against"))
    );
  };
  const words = (text) => make("td", { class: "words", title: text }, text);
  const row = (g) =>
    make(
      "tr",
      { "data-id": g.id },
      make("td", {}, make("a", { href: gameHash(g.id, 0) }, number(g.id))),
      ...[data.rules[g.rules], data.agents[g.south], data.agents[g.north]].map(words),
      ...[g.result, g.reason, String(g.plies)].map((text) => make("td", {}, text)),
    );

  function showList() {
    for (const s of picker.querySelectorAll("select")) s.value = filter[s.dataset.key] ?? "";
    const games = data.games.filter(matches);
    for (const e of [picker, found, list]) e.hidden = data.games.length < 2; // there is no choice
    found.textContent =
      games.length === 1
        ? "1 game"
        : `${games.length} games` + (games.length > listed ? `, the first ${listed} listed` : "");
    body.replaceChildren(...games.slice(0, listed).map(row));
    markCurrent();
    return games;
  }
  const markCurrent = () => {
    for (const tr of body.children) mark(tr, game?.id === tr.dataset.id);
  };
  const listHash = () => "#list&" + new URLSearchParams(/** @type {any} */ (filter));
  const gameHash = (id, ply) => (single ? "#" : `#game=${id}&`) + `ply=${ply}`;

  // ---- one game

  let game = null,
    positions = [],
    moves = [],
    numbers = [], // of their plies
    ply = 0,
    door = 0,
    timer = 0,
    keeping = false, // the address doesn't follow
    turned = "turned" in root.dataset, // North is below
    board = null;
  const sides = make("p", { class: "sides" });
  const place = make("div", {
    tabindex: "0",
    class: "stage",
    "aria-label": "Board; arrow keys step through the game",
    role: "group",
  });
  const now = make("div", { class: "now", "aria-live": "polite" });
  const at = make("span", { class: "at" });
  const play = make("button", {
    type: "button",
    title: "Play or pause (Space)",
    onclick: () => (timer ? pause() : start()),
    "data-act": "play",
  });
  const drawPlay = () => play.replaceChildren(icon(icons[timer ? "pause" : "play"]), timer ? "Pause" : "Play");
  const controls = make(
    "div",
    { class: "controls", role: "group", "aria-label": "Steps" },
    play,
    button("first", "To the beginning", "Home", () => go(0)),
    button("back", "One ply back", "←", () => go(door ? ply : ply - 1)),
    button("next", "One ply forward", "→", () => go(ply + 1)),
    button("last", "To the end", "End", () => go(moves.length)),
    button("doorBack", "One door back", ",", () => step(-1), "door"),
    button("doorNext", "One door forward", ".", () => step(1), "door"),
    make("button", { type: "button", onclick: turn, "data-act": "turn" }, "Turn"),
    at,
  );
  const graph = make("div", { class: "graphs" });
  const moveList = make("ol", { class: "moves", "aria-label": "Moves", tabindex: "0" });
  const review = createReview({
    root,
    below: now,
    list: moveList,
    go: (to) => go(to),
    redraw: () => show(),
    state: () => ({ game, positions, board, index: door ? ply : ply - 1 }),
  });
  const keys = make("p", { class: "keys" });
  keys.innerHTML =
    "<kbd>←</kbd> <kbd>→</kbd> ply, <kbd>,</kbd> <kbd>.</kbd> door, " +
    "<kbd>Home</kbd> <kbd>End</kbd>, <kbd>Space</kbd> plays";
  const stage = make(
    "div",
    { class: "viewer" },
    make("div", {}, sides, place, controls, keys),
    make("div", {}, now, graph, moveList),
  );
  document.addEventListener("keydown", onKey);
  root.replaceChildren(absent, picker, found, list, stage);
  drawPlay();

  function open(id) {
    const g = byID.get(id);
    if (!g || g === game) return;
    pause();
    game = g;
    ply = 0;
    door = 0;
    review.open();
    positions = [parsePosition(g.opening || "000000/000000/000000/000000/000000/000000 s")];
    const plies = follow(positions[0], g.opening ? g.moves : []);
    moves = plies.map((p) => p.move);
    numbers = plies.map((p) => p.ply);
    positions.push(...plies.map((p) => p.position));
    draw();
    drawPlay();
    drawSides();
    drawMoves();
    drawGraph();
    markCurrent();
  }

  // draw makes the board. The side to move is not shown while pieces are placed; then South begins.
  function draw() {
    board = createBoard({ hands: positions[0].kang || moves.some((m) => m.kind === "place"), turned });
    place.replaceChildren(board.element);
  }

  function turn() {
    turned = !turned;
    draw();
    show();
  }

  function drawSides() {
    const g = game,
      end = `${g.result} by ${g.reason} after ply ${g.plies}${g.fault ? ` (${g.fault})` : ""}`;
    sides.replaceChildren(
      make("b", { class: "dot-n" }, "North: " + data.agents[g.north]),
      make("b", { class: "dot-s" }, "South: " + data.agents[g.south]),
      make("span", {}, `Game ${number(g.id)}, ${data.rules[g.rules]}: ${end}`),
      ...(g.note ? [make("span", {}, "Note: " + g.note)] : []),
    );
  }

  const side = (i) => mover(positions[i], moves[i]);
  const scoreAt = (i) => scoreText(game.scores && game.scores[i]);
  const effort = (i) => {
    const parts = [];
    if (scoreAt(i)) parts.push(scoreAt(i));
    for (const { text, values } of game.lists || []) if (values[i] !== null) parts.push(formatted(text, values[i]));
    const us = game.us?.[i];
    if (us !== undefined) parts.push(us >= 1000 ? +(us / 1000).toPrecision(3) + " ms" : us + " µs");
    return parts.join(", ");
  };

  function drawMoves() {
    const top = moveList.scrollTop;
    moveList.replaceChildren(
      ...moves.map((m, i) => moveItem(i + 1, side(i), numbers[i], m.text, scoreAt(i), () => go(i + 1))),
    );
    moveList.scrollTop = top;
  }

  // go shows the position after so many moves.
  function go(to) {
    ply = Math.max(0, Math.min(to, moves.length));
    door = 0;
    show();
  }

  // step goes through one door.
  function step(by) {
    if (by > 0) {
      if (ply === moves.length) return;
      const n = moves[ply].steps.length;
      if (door + 1 >= n) {
        ply++;
        door = 0;
      } else door++;
    } else if (door > 0) door--;
    else if (ply > 0) {
      ply--;
      door = Math.max(0, moves[ply].steps.length - 1);
    }
    show();
  }

  function show() {
    const i = door ? ply : ply - 1,
      m = moves[i];
    const position = positions[door ? ply + 1 : ply];
    board.draw({ position, move: m, before: m && positions[i], door: door || undefined });
    showAt();
    now.replaceChildren(
      ...(m
        ? [
            make("p", {}, describeMove(positions[i], m)),
            make("p", { class: "course" }, m.text),
            make("p", { class: "keys" }, effort(i)),
          ]
        : [make("p", {}, "The opening. " + (positions[0].side && moves.length ? "North" : "South") + " moves first.")]),
    );
    for (const li of moveList.children) mark(li, +li.dataset.ply === ply);
    if (ply) keepInView(moveList, moveList.children[ply - 1], moveList.clientHeight / 2);
    drawn?.moveTo(ply);
    const q = { rules: data.rules[game.rules], position: game.opening, moves: game.moves.join(" "), at: String(ply) };
    if (server) toAnalyse.href = "/analyse#" + new URLSearchParams(q);
    review.show();
    if (!keeping) setAddress(gameHash(game.id, ply) + review.address());
  }

  function showAt() {
    at.textContent =
      `${+numbers[ply - 1] || 0} of ${+numbers.at(-1) || 0}` +
      (door ? ` + ${door} of ${moves[ply].steps.length} doors` : "");
  }

  function start() {
    if (ply === moves.length) go(0);
    const tick = () => {
      if (reducedMotion) go(ply + 1);
      else step(1);
      if (ply === moves.length) return pause();
      timer = setTimeout(tick, reducedMotion ? 1200 : door ? 160 : 650);
    };
    timer = setTimeout(tick, 150);
    drawPlay();
  }
  function pause() {
    clearTimeout(timer);
    timer = 0;
    drawPlay();
  }

  // Keys work wherever the focus is; those that would scroll the page only while the board is in view.
  function onKey(e) {
    const act = {
      ArrowLeft: () => go(door ? ply : ply - 1),
      ArrowRight: () => go(ply + 1),
      Home: () => go(0),
      End: () => go(moves.length),
      ",": () => step(-1),
      ".": () => step(1),
      " ": () => (timer ? pause() : start()),
    }[e.key];
    if (
      !act ||
      !game ||
      e.defaultPrevented ||
      e.altKey ||
      e.ctrlKey ||
      e.metaKey ||
      (e.shiftKey && !/[,.]/.test(e.key)) ||
      usesKey(e.target, e.key)
    )
      return;
    if (!e.key.startsWith("Arrow") && !inView()) return;
    e.preventDefault();
    if (e.key !== " ") pause();
    act();
  }

  // usesKey reports whether the element that has the focus uses a key itself.
  function usesKey(target, key) {
    if (target.closest("input, select, textarea, [contenteditable], .matrix")) return true;
    if (key === " " && target.closest("button, summary")) return true;
    const box = target.closest(".scroll, .games, pre");
    if (!box) return false;
    if (key.startsWith("Arrow")) return box.scrollWidth > box.clientWidth;
    return (key.length > 1 || key === " ") && box.scrollHeight > box.clientHeight;
  }

  // inView reports whether at least half of the board and its surroundings, or of the window, are in view.
  function inView() {
    const r = stage.getBoundingClientRect(),
      seen = Math.min(r.bottom, innerHeight) - Math.max(r.top, 0);
    return seen >= Math.min(r.height, innerHeight) / 2;
  }

  // ---- the scores: each mover's own, seen from South's side

  let drawn = null; // the graph
  const CAP = 10; // points
  function drawGraph() {
    drawn = null;
    graph.replaceChildren();
    if (!game.scores || !game.scores.some((s) => s !== null)) return;
    const south = [],
      north = [],
      dots = [];
    moves.forEach((m, i) => {
      const s = game.scores[i],
        who = side(i);
      if (s === null || s === undefined) return;
      const v = Math.max(-CAP, Math.min(CAP, ((who ? -1 : 1) * s) / 100));
      (who ? north : south).push([i + 1, v]);
      dots.push([i + 1, v, who ? "pn" : "ps"]);
    });
    const ticks = [-CAP, -5, 0, 5, CAP].map((v) => [v, (v > 0 ? "+" : v < 0 ? "−" : "") + Math.abs(v)]);
    drawn = lineGraph({
      label: "Scores by ply, from South’s side",
      caption: "each player’s score by ply; up is good for South",
      height: 130,
      left: 34,
      ticks,
      plies: moves.length,
      lines: [
        ["s", south],
        ["n", north],
      ],
      dots: dots.length <= 120 ? dots : [],
      radius: 2.6,
      go,
    });
    graph.append(drawn.element);
  }

  const toAnalyse = make("a", {}, "Analyse this position"),
    copied = make("span", { role: "status" });
  // pageOf is the address of the page of a game of this run.
  const pageOf = (id, at) => {
    const of = root.dataset.run?.split("/").map(encodeURIComponent).join("/");
    return `${location.origin}/game/${of}/${id.split(".")[1]}#ply=${at}`;
  };
  const share = () => pageOf(game.id, ply);
  const link = make("button", { type: "button", onclick: () => copy(share(), copied, share()) }, "Copy link");
  if (server) graph.before(make("p", { class: "controls small" }, toAnalyse, link, copied));

  // ---- the address

  function read() {
    const hash = location.hash.slice(1),
      q = new URLSearchParams(hash);
    const id = single ? single.id : q.get("game"),
      to = q.get("ply");
    if (byID.has(id)) {
      open(id);
      go(to === "last" ? moves.length : parseInt(to, 10) || 0);
      return true;
    }
    if (hash.startsWith("list")) {
      for (const key of ["rules", "player", "against", "result", "reason"]) set(key, q.get(key) ?? "");
      const games = showList();
      if (games.length) openFirst(games[0]);
      return true;
    }
    return false;
  }
  // openFirst shows a game while the address stays as it is.
  function openFirst(g) {
    keeping = true;
    open(g.id);
    go(0);
    keeping = false;
  }

  // linked is the game that the address names. If this page doesn't have it, noteAbsent opens its own, or says so.
  const linked = () => new URLSearchParams(location.hash.slice(1)).get("game");
  function noteAbsent() {
    const missing = linked() && !byID.has(linked());
    if (missing && server && /^1\.\d+$/.test(linked()))
      return location.replace(pageOf(linked(), new URLSearchParams(location.hash.slice(1)).get("ply") ?? 0));
    absent.textContent = missing
      ? `Game ${linked().slice(0, 40)}, which the address names, is not among those of this page.`
      : "";
    if (missing) absent.scrollIntoView({ behavior: "instant" });
  }

  // toView scrolls the page to the board unless all of it is in view, with as much of the list as there is room for,
  // and the list to the game that is shown.
  function toView() {
    if (single) return; // its board is on top
    const margin = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0,
      room = innerHeight - margin;
    const seen = (e) => {
      const r = e.getBoundingClientRect();
      return r.top >= margin && r.bottom <= innerHeight;
    };
    const bottom = controls.getBoundingClientRect().bottom,
      from = (e) => bottom - e.getBoundingClientRect().top;
    if (!seen(place) || !seen(controls)) {
      const [e, block] =
        !list.hidden && from(list) <= room
          ? [list, "start"]
          : from(stage) <= room
            ? [controls, "end"]
            : [stage, "start"];
      e.scrollIntoView({ behavior: "instant", block });
    }
    const row = body.querySelector("[aria-current]");
    if (!row) return;
    const r = row.getBoundingClientRect(),
      box = list.getBoundingClientRect();
    if (r.top < box.top || r.bottom > box.bottom || !seen(row))
      list.scrollTop += r.bottom - box.bottom + 1.5 * r.height; // its lower end is next to the board
  }

  showList();
  if (read()) toView();
  else if (data.games.length) openFirst(data.games[0]);
  noteAbsent();
  addEventListener("hashchange", () => {
    const hash = location.hash;
    noteAbsent();
    if (!read()) return;
    if (hash.startsWith("#list")) return document.getElementById("games").scrollIntoView({ behavior: "instant" });
    toView();
    place.focus({ preventScroll: true });
  });

  const indexIn = (list, name) => (list.includes(name) ? list.indexOf(name) : list.push(name) - 1);

  // openLinked opens the game that the address names, if it wasn't there before.
  function openLinked() {
    if (linked() && byID.has(linked()) && (!game || game.id !== linked()) && read()) {
      noteAbsent();
      toView();
    }
  }

  // update takes the lists of players and rule sets that links count by now, and
  // further games, which name theirs: {game, rules, south, north}.
  function update(agents, rules, games) {
    const before = JSON.stringify([data.agents, data.rules]);
    const a = data.agents.map((name) => indexIn(agents, name)),
      r = data.rules.map((name) => indexIn(rules, name));
    for (const g of byID.values()) {
      g.south = a[g.south];
      g.north = a[g.north];
      g.rules = r[g.rules];
    }
    for (const key of ["player", "against"]) if (key in filter) filter[key] = String(a[+filter[key]]);
    if ("rules" in filter) filter.rules = String(r[+filter.rules]);
    data.agents = agents;
    data.rules = rules;
    const fresh = games.filter((g) => !byID.has(g.game.id));
    for (const g of fresh) {
      const [south, north] = [g.south, g.north].map((name) => indexIn(agents, name));
      data.games.push(Object.assign(g.game, { rules: indexIn(rules, g.rules), south, north }));
      byID.set(g.game.id, g.game);
    }
    const changed = JSON.stringify([data.agents, data.rules]) !== before;
    if (!changed && !fresh.length) return;
    if (!picker.contains(document.activeElement)) drawPicker();
    showList();
    openLinked();
    if (!game && data.games.length) openFirst(data.games[0]);
  }

  return { update, toView };
}

const source = $("viewer-data");
export const viewer =
  $("viewer") && source ? createViewer($("viewer"), JSON.parse(source.textContent)) : { update() {}, toView() {} };
