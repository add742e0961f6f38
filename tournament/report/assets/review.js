// gygesReview shows the review of the viewer's game: marks beside the moves, the
// accuracy of both sides, what decided the game, and better lines on the board.
// Where the viewer's element has an address for it, it asks the server for reviews.
const gygesReview = (() => {
  const B = gygesBoard;
  const glyphs = { inaccuracy: "?!", mistake: "?", blunder: "??", "missed-win": "??", only: "□" };
  const words = {
    placement: "placement", repetition: "only repeats", forced: "the only legal move", only: "the only move that does not let the opponent win at once", best: "best move",
    good: "good move", inaccuracy: "inaccuracy", mistake: "mistake", blunder: "blunder", "missed-win": "missed win",
  };
  const kinds = {
    "missed-goal": "misses a win in one", "allowed-goal": "allows a win in one", "missed-win": "gives a proven win away", "allowed-win": "allows a proven win", judgement: "worse by evaluation",
  };
  const percent = (share) => `${Math.round(100 * share)} %`;
  const name = (side) => (side === "north" ? "North" : "South");
  const score = (s) => (s >= 29000 ? `wins in ${30000 - s}` : s <= -29000 ? `loses in ${30000 + s}` : (s > 0 ? "+" : s < 0 ? "−" : "") + (Math.abs(s) / 100).toFixed(2));

  // create returns the part of a viewer: h makes its elements, root is its element, list
  // that of the moves, and the part goes below another one. state returns what is shown,
  // {game, positions, index, board}, where index is that of the move; go shows the
  // position after so many moves, redraw the one that is shown.
  function create({ h, root, below, list, state, go, redraw }) {
    const summary = h("div", { class: "review-summary" }), box = h("div", { class: "review-move" }), status = h("p", { class: "review-status", role: "status" });
    const start = h("button", { type: "button", class: "review-start", onclick: () => request() }, "Review this game");
    const stop = h("button", { type: "button", class: "review-stop", onclick: () => abort() }, "Stop");
    const element = h("div", { class: "review" }, box, status, summary);
    let running = null; // AbortController of the request
    let previewed = false; // the status describes a move of a better line

    const reviewed = () => state().game?.review;

    // open shows the summary of another game, or offers to review it.
    function open() {
      if (!element.isConnected) below.after(element);
      abort();
      status.replaceChildren();
      draw();
      if (new URLSearchParams(location.hash.slice(1)).has("review") && !reviewed()) request();
    }

    // draw draws the summary. The focus stays in it.
    function draw() {
      const { game } = state(), r = game?.review, focused = summary.contains(document.activeElement);
      summary.replaceChildren();
      if (r) summarize(r);
      else if (root.dataset.review && game && game.moves.length && !game.live) summary.append(running ? stop : start);
      if (focused) (summary.querySelector("button") ?? list).focus({ preventScroll: true });
    }

    function summarize(r) {
      summary.append(h("p", {}, ...tally("South", r.south_moves), h("br"), ...tally("North", r.north_moves)));
      summary.append(graph(r));
      for (const ply of r.turning || []) {
        const i = r.moves.findIndex((m) => m.ply === ply);
        if (i >= 0) summary.append(turning(r.moves[i], i));
      }
      for (const w of r.wins || []) {
        const until = w.to > w.from ? ` to ${w.to}` : "";
        summary.append(h("p", { class: "keys" }, `${name(w.side)} has a proven win before ply ${w.from}${until}${w.lost ? `, and gives it away with ply ${w.to}` : ""}.`));
      }
      summary.append(h("p", { class: "keys" }, "?! inaccuracy, ? mistake, ?? blunder or missed win, □ only move that does not lose at once"));
    }

    // graph draws South's winning chances before each move, and dots where they changed by a mistake.
    function graph(r) {
      const W = 420, H = 84, L = 44, R = 8, T = 6, F = 18, n = Math.max(r.moves.length, 1);
      const x = (i) => L + (i / n) * (W - L - R), y = (p) => T + (1 - p) * (H - T - F);
      const svg = B.el(null, "svg", { class: "graph", viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": "South’s winning chances by ply" });
      for (const p of [0, 0.5, 1]) {
        B.el(svg, "line", { class: p === 0.5 ? "zero" : "grid", x1: L, x2: W - R, y1: y(p), y2: y(p) });
        B.el(svg, "text", { x: L - 5, y: y(p) + 4, "text-anchor": "end" }, percent(p));
      }
      B.el(svg, "text", { x: W - R, y: H - 5, "text-anchor": "end" }, "South’s winning chances by ply");
      const chance = (m, p) => (m.side === "north" ? 1 - p : p);
      const points = r.moves.flatMap((m, i) => (["placement", "repetition"].includes(m.mark) ? [] : [[x(i), y(chance(m, m.before))], [x(i + 1), y(chance(m, m.after))]]));
      if (points.length) B.el(svg, "path", { class: "s", d: "M" + points.map((q) => q.map((v) => v.toFixed(1)).join(" ")).join("L") });
      r.moves.forEach((m, i) => { if (m.loss >= 0.1) B.el(svg, "circle", { class: m.side === "north" ? "pn" : "ps", cx: x(i + 1), cy: y(chance(m, m.after)), r: 3.4 }); });
      svg.addEventListener("click", (e) => {
        const box = svg.getBoundingClientRect();
        go(Math.round(((((e.clientX - box.left) / box.width) * W - L) / (W - L - R)) * n));
      });
      return svg;
    }

    function tally(side, t) {
      const parts = t.judged ? [`accuracy ${t.accuracy.toFixed(1)} %`] : ["no move was a choice"];
      for (const [n, noun] of [[t.inaccuracies, "inaccuracies"], [t.mistakes, "mistakes"], [t.blunders, "blunders"], [t.missed_wins, "missed wins"]]) if (n) parts.push(`${noun} ${n}`);
      return [h("b", { class: side === "South" ? "dot-s" : "dot-n" }, side), ": " + parts.join(", ")];
    }

    const turning = (m, i) => h("button", { type: "button", class: "review-turn", onclick: () => go(i + 1) }, `Ply ${m.ply}, ${name(m.side)}: ${words[m.mark]} (${kinds[m.kind] || ""}), ${percent(m.before)} to ${percent(m.after)}`);

    // addMarks adds the marks to the moves in the list that have none yet.
    function addMarks() {
      for (const [i, m] of (reviewed()?.moves || []).entries()) {
        const at = list.children[i]?.querySelector(".m");
        if (!at || at.querySelector("[class^=mark-]") || !glyphs[m.mark]) continue;
        at.append(h("span", { class: `mark-${m.mark}`, title: words[m.mark] }, " ", h("span", { "aria-hidden": "true" }, glyphs[m.mark]), h("span", { class: "sr" }, words[m.mark])));
      }
    }

    // show shows the judgement of the move on the board.
    function show() {
      addMarks();
      if (previewed) { status.textContent = ""; previewed = false; }
      const { index } = state(), m = reviewed()?.moves[index];
      box.replaceChildren();
      if (!m || ["placement", "repetition"].includes(m.mark)) return;
      const what = words[m.mark][0].toUpperCase() + words[m.mark].slice(1) + (m.kind ? `: ${kinds[m.kind]}` : "");
      const chance = m.loss > 0 ? `, ${percent(m.before)} to ${percent(m.after)}` : `, ${percent(m.after)}`;
      box.append(h("p", {}, h("b", { class: `mark-${m.mark}` }, what), `${chance} for ${name(m.side)}.`));
      if (m.line && m.line.length) box.append(h("p", { class: "review-line", role: "group", "aria-label": "Better line" }, `Better (${score(m.best_score)}): `, ...lineButtons(index, m.line)));
    }

    // lineButtons are the moves of a better line, each of which is shown on the board.
    function lineButtons(index, line) {
      const buttons = line.map((text, k) => h("button", { type: "button", "aria-pressed": "false", onclick: () => pick(k) }, text));
      function pick(k) {
        const pressed = buttons[k].getAttribute("aria-pressed") === "true";
        for (const b of buttons) b.setAttribute("aria-pressed", "false");
        if (pressed) return go(index + 1);
        if (preview(index, line.slice(0, k + 1))) buttons[k].setAttribute("aria-pressed", "true");
      }
      return buttons;
    }

    // preview draws the end of a line that begins before a move of the game, and
    // reports whether it can be drawn.
    function preview(index, line) {
      const { positions, board } = state();
      try {
        let before = positions[index], move = null, position = before;
        for (const text of line) { before = position; move = B.parseMove(text); position = B.apply(before, move); }
        board.draw({ position, move, before });
        status.textContent = B.describeMove(before, move);
        previewed = true;
        return true;
      } catch {
        status.textContent = "This line can’t be shown.";
        return false;
      }
    }

    function abort() {
      running?.abort();
      running = null;
    }

    // request asks the server for a review; it sends events until it is done.
    async function request() {
      const { game } = state(), control = new AbortController();
      abort();
      running = control;
      status.textContent = "The review begins.";
      draw();
      try {
        const id = +game.id.split(".")[1];
        const response = await fetch(root.dataset.review, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ run: root.dataset.run, game: id }), signal: control.signal });
        if (!response.ok) throw new Error(response.headers.get("Content-Type") === "application/json" ? (await response.json()).error : `the server responded with ${response.status}`);
        game.review = await receive(response, (text) => { if (running === control) status.textContent = text; });
        if (running === control) status.textContent = "The review is done.";
      } catch (e) {
        if (running === control) status.textContent = `No review: ${e instanceof TypeError ? "the server can’t be reached" : e.message}.`;
        else if (state().game === game) status.textContent = "The review was stopped.";
      }
      if (running === control) running = null;
      if (state().game !== game) return;
      draw();
      if (game.review) redraw();
    }

    // receive reads server-sent events up to the one with the review.
    async function receive(response, progress) {
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let text = ""; ;) {
        const { value, done } = await reader.read();
        if (done) throw new Error("the server ended it");
        const events = (text += value).split("\n\n");
        text = events.pop();
        for (const e of events) {
          const [, kind, data] = /^event: (\w+)\ndata: (.*)$/.exec(e) || [];
          if (kind === "progress") { const p = JSON.parse(data); progress(`${p.done} of ${p.all} moves are reviewed.`); }
          if (kind === "failure") throw new Error(JSON.parse(data).error);
          if (kind === "review") return JSON.parse(data);
        }
      }
    }

    addEventListener("pagehide", abort);
    return { open, show };
  }

  return { create };
})();
