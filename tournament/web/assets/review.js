// Shows the review of the viewer's game: marks beside the moves, the
// accuracy of both sides, what decided the game, and better lines on the board.
// Where the viewer's element has an address for it, it asks the server for reviews.
import { describeMove, follow } from "./board.js";
import { lineGraph, make, receive, scoreText } from "./dom.js";

const glyphs = { inaccuracy: "?!", mistake: "?", blunder: "??", "missed-win": "??", only: "□" };
const words = {
  placement: "placement",
  repetition: "only repeats",
  forced: "the only legal move",
  only: "the only move that does not let the opponent win at once",
  best: "best move",
  good: "good move",
  inaccuracy: "inaccuracy",
  mistake: "mistake",
  blunder: "blunder",
  "missed-win": "missed win",
};
const unjudged = ["placement", "repetition"];
const percent = (share) => `${Math.round(100 * share)} %`;
const small = (text) => make("p", { class: "keys" }, text);
const name = (side) => (side === "north" ? "North" : "South");

// createReview returns the part of a viewer: root is the viewer's element, list the element of its moves, and the part
// goes below another element. kinds are the words for what moves do. state returns what is shown, {game, positions,
// index, board}, where index is the move's; go shows the position after so many moves, redraw the one that is shown.
export function createReview({ root, below, list, kinds, state, go, redraw }) {
  const summary = make("div", { class: "review-summary" }),
    box = make("div", { class: "review-move" }),
    status = make("p", { class: "review-status", role: "status" });
  const start = make("button", { type: "button", class: "review-start", onclick: () => request() }, "Review this game");
  const stop = make("button", { type: "button", class: "review-stop", onclick: () => abort() }, "Stop");
  const element = make("div", { class: "review" }, box, status, summary);
  let running = null; // AbortController of the request
  const asked = new WeakSet(); // games whose reviews were asked for
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
    const { game } = state(),
      r = game?.review,
      focused = summary.contains(document.activeElement);
    summary.replaceChildren();
    if (r) summarize(r);
    else if (root.dataset.review && game && game.moves.length) summary.append(running ? stop : start);
    if (focused) (summary.querySelector("button") ?? list).focus({ preventScroll: true });
  }

  function summarize(r) {
    for (const ply of [...new Set([...(r.turning || []), r.decisive || 0])].sort((a, b) => a - b)) {
      const i = r.moves.findIndex((m) => ply > 0 && m.ply === ply);
      if (i >= 0) summary.append(turning(r.moves[i], i, ply === r.decisive));
    }
    summary.append(make("p", {}, ...tally("South", r.south_moves), make("br"), ...tally("North", r.north_moves)));
    summary.append(graph(r));
    summary.append(small("?! inaccuracy, ? mistake, ?? blunder or missed win, □ only move that does not lose at once"));
  }

  // graph draws South's winning chances before and after each move, and dots where they changed by a mistake.
  function graph(r) {
    const chance = (m, p) => (m.side === "north" ? 1 - p : p);
    const points = [],
      dots = [];
    r.moves.forEach((m, i) => {
      if (unjudged.includes(m.mark)) return;
      points.push([i, chance(m, m.before)], [i + 1, chance(m, m.after)]);
      if (m.loss >= 0.1) dots.push([i + 1, chance(m, m.after), m.side === "north" ? "pn" : "ps"]);
    });
    const label = "South’s winning chances by ply",
      ticks = [0, 0.5, 1].map((p) => [p, percent(p)]);
    return lineGraph({
      label,
      caption: label,
      height: 84,
      left: 54,
      ticks,
      plies: r.moves.length,
      lines: [["s", points]],
      dots,
      radius: 3.4,
      go,
    }).element;
  }

  function tally(side, t) {
    const parts = t.judged ? [`accuracy index ${t.accuracy.toFixed(1)}`] : ["no move was a choice"];
    for (const [n, noun] of [
      [t.inaccuracies, "inaccuracies"],
      [t.mistakes, "mistakes"],
      [t.blunders, "blunders"],
      [t.missed_wins, "missed wins"],
    ])
      if (n) parts.push(`${noun} ${n}`);
    return [make("b", { class: side === "South" ? "dot-s" : "dot-n" }, side), ": " + parts.join(", ")];
  }

  const turning = (m, i, decisive) =>
    make(
      "button",
      { type: "button", class: "review-turn", onclick: () => go(i + 1) },
      `Ply ${m.ply}, ${name(m.side)}: ${words[m.mark]} (${kinds[m.kind] || ""}), ` +
        `${percent(m.before)} to ${percent(m.after)}${decisive ? ". The game was lost here" : ""}`,
    );

  // addMarks adds the marks to the moves in the list that have none yet.
  function addMarks() {
    for (const [i, m] of (reviewed()?.moves || []).entries()) {
      const at = list.children[i]?.querySelector(".m");
      if (!at || at.querySelector("[class^=mark-]") || !glyphs[m.mark]) continue;
      const glyph = make("span", { "aria-hidden": "true" }, glyphs[m.mark]),
        text = make("span", { class: "sr" }, words[m.mark]);
      at.append(make("span", { class: `mark-${m.mark}`, title: words[m.mark] }, " ", glyph, text));
    }
  }

  // show shows the judgement of the move on the board.
  function show() {
    addMarks();
    if (previewed) {
      status.textContent = "";
      previewed = false;
    }
    const { index } = state(),
      m = reviewed()?.moves[index];
    box.replaceChildren();
    if (!m || unjudged.includes(m.mark)) return;
    const what = words[m.mark][0].toUpperCase() + words[m.mark].slice(1) + (m.kind ? `: ${kinds[m.kind]}` : "");
    const chance = m.loss > 0 ? `, ${percent(m.before)} to ${percent(m.after)}` : `, ${percent(m.after)}`;
    box.append(make("p", {}, make("b", { class: `mark-${m.mark}` }, what), `${chance} for ${name(m.side)}.`));
    if (!m.line || !m.line.length) return;
    const better = make("p", { class: "review-line", role: "group", "aria-label": "Better line" });
    better.append(`Better (${scoreText(m.best_score)}): `, ...lineButtons(index, m.line));
    box.append(better);
  }

  // lineButtons are the moves of a better line, each of which is shown on the board.
  function lineButtons(index, line) {
    const buttons = line.map((text, k) =>
      make("button", { type: "button", "aria-pressed": "false", onclick: () => pick(k) }, text),
    );
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
      const { position, move, before } = follow(positions[index], line).pop();
      board.draw({ position, move, before });
      status.textContent = describeMove(before, move);
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
    const { game } = state(),
      control = new AbortController();
    abort();
    running = control;
    asked.add(game);
    status.textContent = "The review begins.";
    draw();
    const id = +game.id.split(".")[1];
    let failure = "";
    const events = {
      progress: (p) => (status.textContent = `${p.done} of ${p.all} moves are reviewed.`),
      failure: (text) => (failure = text),
      review: (r) => (game.review = r),
    };
    const problem = await receive(
      root.dataset.review,
      { run: root.dataset.run, game: id },
      control.signal,
      (kind, value) => events[kind]?.(value),
    );
    if (running === control) {
      running = null;
      const why = problem || failure || "the server ended it";
      status.textContent = game.review ? "The review is done." : `No review: ${why}.`;
    } else if (state().game === game) status.textContent = "The review was stopped.";
    if (state().game !== game) return;
    draw();
    if (game.review) redraw();
  }

  addEventListener("pagehide", abort);
  // address is what the address of the page has of a review that was asked for, so that it is made again with the page.
  const address = () => (asked.has(state().game) && (running || reviewed()) ? "&review" : "");

  return { open, show, address };
}
