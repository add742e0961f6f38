// The stage of the viewer: the board with its controls, and beside it the move shown, a graph of the scores and the
// list of moves.
import { createBoard, describeMove } from "./board.js";
import { el, formatted, keepInView, lineGraph, make, mark, moveItem, scoreText } from "./dom.js";

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

function icon(name) {
  const svg = el(null, "svg", { viewBox: "0 0 16 16", "aria-hidden": "true" });
  el(svg, "path", { d: icons[name] });
  return svg;
}

// createControls returns the buttons below the board, which call the functions of actions with their names.
function createControls(actions) {
  const button = (name, label, key, ...content) =>
    make(
      "button",
      { type: "button", "aria-label": label, title: `${label} (${key})`, onclick: actions[name], "data-act": name },
      ...content,
    );
  const play = make("button", {
    type: "button",
    title: "Play or pause (Space)",
    onclick: actions.toggle,
    "data-act": "play",
  });
  const at = make("span", { class: "at" });
  const element = make(
    "div",
    { class: "controls", role: "group", "aria-label": "Steps" },
    play,
    button("first", "To the beginning", "Home", icon("first")),
    button("back", "One ply back", "←", icon("back")),
    button("next", "One ply forward", "→", icon("next")),
    button("last", "To the end", "End", icon("last")),
    button("doorBack", "One door back", ",", icon("doorBack"), "door"),
    button("doorNext", "One door forward", ".", "door", icon("doorNext")),
    make("button", { type: "button", onclick: actions.turn, "data-act": "turn" }, "Turn"),
    at,
  );
  const showPlaying = (isPlaying) =>
    play.replaceChildren(icon(isPlaying ? "pause" : "play"), isPlaying ? "Pause" : "Play");
  function show({ ply, door, moves, numbers }) {
    const doors = door ? ` + ${door} of ${moves[ply].steps.length} doors` : "";
    at.textContent = `${+numbers[ply - 1] || 0} of ${+numbers.at(-1) || 0}${doors}`;
  }
  return { element, show, showPlaying };
}

const scoreAt = (game, i) => scoreText(game.scores && game.scores[i]);

// effort is what is known of the search for a move.
function effort(game, i) {
  const parts = [];
  if (scoreAt(game, i)) parts.push(scoreAt(game, i));
  for (const { text, values } of game.lists || []) if (values[i] !== null) parts.push(formatted(text, values[i]));
  const us = game.us?.[i];
  if (us !== undefined) parts.push(us >= 1000 ? +(us / 1000).toPrecision(3) + " ms" : us + " µs");
  return parts.join(", ");
}

// wordsOn are paragraphs on the move that is shown.
function wordsOn(replay) {
  const { game, positions, moves, index } = replay;
  const move = moves[index];
  if (!move) {
    const first = positions[0].side && moves.length ? "North" : "South";
    return [make("p", {}, `The opening. ${first} moves first.`)];
  }
  return [
    make("p", {}, describeMove(positions[index], move)),
    make("p", { class: "course" }, move.text),
    make("p", { class: "keys" }, effort(game, index)),
  ];
}

// createMoveList returns the list of moves; a click on one calls go with the ply after it.
function createMoveList(go) {
  const element = make("ol", { class: "moves", "aria-label": "Moves", tabindex: "0" });
  function draw(replay) {
    const { game, moves, numbers } = replay;
    const item = (m, i) => moveItem(i + 1, replay.side(i), numbers[i], m.text, scoreAt(game, i), () => go(i + 1));
    const top = element.scrollTop;
    element.replaceChildren(...moves.map(item));
    element.scrollTop = top;
  }
  function show(ply) {
    for (const li of element.children) mark(li, +li.dataset.ply === ply);
    if (ply) keepInView(element, element.children[ply - 1], element.clientHeight / 2);
  }
  return { element, draw, show };
}

const mostPoints = 10; // of a score that the graph shows
const mostDots = 120;

// createScores returns the graph of each mover's scores, as South sees them.
function createScores(go) {
  const element = make("div", { class: "graphs" });
  let graph = null;
  function draw(replay) {
    const { game, moves } = replay;
    graph = null;
    element.replaceChildren();
    if (!game.scores || !game.scores.some((s) => s !== null)) return;
    const south = [],
      north = [],
      dots = [];
    moves.forEach((_, i) => {
      const score = game.scores[i];
      if (score === null || score === undefined) return;
      const isNorth = replay.side(i);
      const points = (isNorth ? -score : score) / 100;
      const value = Math.max(-mostPoints, Math.min(mostPoints, points));
      (isNorth ? north : south).push([i + 1, value]);
      dots.push([i + 1, value, isNorth ? "pn" : "ps"]);
    });
    const sign = (v) => (v > 0 ? "+" : v < 0 ? "−" : "");
    graph = lineGraph({
      label: "Scores by ply, from South’s side",
      caption: "each player’s score by ply; up is good for South",
      height: 130,
      left: 34,
      ticks: [-mostPoints, -5, 0, 5, mostPoints].map((v) => [v, sign(v) + Math.abs(v)]),
      plies: moves.length,
      lines: [
        ["s", south],
        ["n", north],
      ],
      dots: dots.length <= mostDots ? dots : [],
      radius: 2.6,
      go,
    });
    element.append(graph.element);
  }
  return { element, draw, show: (ply) => graph?.moveTo(ply) };
}

const keysText =
  "<kbd>←</kbd> <kbd>→</kbd> ply, <kbd>,</kbd> <kbd>.</kbd> door, " +
  "<kbd>Home</kbd> <kbd>End</kbd>, <kbd>Space</kbd> plays";

// createStage returns the stage of a replay. actions are functions by their names: go, with a ply, and those of the
// controls. turned puts North below.
export function createStage(replay, actions, turned) {
  const sides = make("p", { class: "sides" });
  const place = make("div", {
    tabindex: "0",
    class: "stage",
    "aria-label": "Board; arrow keys step through the game",
    role: "group",
  });
  const now = make("div", { class: "now", "aria-live": "polite" });
  const keys = make("p", { class: "keys" });
  keys.innerHTML = keysText;
  const controls = createControls({ ...actions, turn });
  const scores = createScores(actions.go);
  const moveList = createMoveList(actions.go);
  const element = make(
    "div",
    { class: "viewer" },
    make("div", {}, sides, place, controls.element, keys),
    make("div", {}, now, scores.element, moveList.element),
  );
  let board = null;

  // drawBoard makes the board. The side to move is not shown while pieces are placed; then South begins.
  function drawBoard() {
    const hands = replay.positions[0].kang || replay.moves.some((m) => m.kind === "place");
    board = createBoard({ hands, turned });
    place.replaceChildren(board.element);
  }

  function turn() {
    turned = !turned;
    drawBoard();
    actions.show();
  }

  // open shows another game; heading are the lines above the board.
  function open(heading) {
    drawBoard();
    sides.replaceChildren(...heading);
    moveList.draw(replay);
    scores.draw(replay);
  }

  function show() {
    board.draw(replay.scene);
    controls.show(replay);
    now.replaceChildren(...wordsOn(replay));
    moveList.show(replay.ply);
    scores.show(replay.ply);
  }

  return {
    element,
    place,
    now,
    controls: controls.element,
    graph: scores.element,
    moves: moveList.element,
    showPlaying: controls.showPlaying,
    board: () => board,
    open,
    show,
  };
}
