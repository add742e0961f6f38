// Lets a person choose a move on a board: a picture with a button on
// each square, each goal and the pieces of each height in a hand. The moves to
// choose from are those in the field "sources" of the server's answers.
import * as B from "./board.js";
import { focused, make } from "./dom.js";

const sideNames = { s: "South", n: "North" };
const count = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

// create makes an input in an element. These functions of on are called: move, with
// the text of the move chosen, which may return a promise; change, after another
// piece or square is picked or pointed at; problem, with the reason why a click did
// nothing, or ""; while "editing" is shown edit, with the name of a cell clicked, and
// carry, with the squares between which a piece was dragged.
export function create(root, on) {
  // What is shown: the position, a scene to draw while nothing is picked (by default
  // the position alone), the moves of its side to move, whether pieces are being
  // placed, whether hands are shown, whether North is below, and whether clicks edit.
  let shown = { position: null, scene: null, sources: [], placing: false, hands: false, turned: false, editing: false };
  let board = null,
    shape = "",
    cells = new Map();
  let from = null,
    to = null; // what is picked: a source, and where it is to displace a piece
  let height = null; // the source that stays picked while pieces are placed
  let pointed = null; // the square under the pointer or with the focus
  let drag = null; // the cell where the pointer went down, where it is, and whether a piece follows it
  let held = false; // a piece was dragged: a click that follows is the end of that
  let busy = false,
    column = 2;

  const letter = () => "sn"[shown.position.side];
  const sources = () => new Map(shown.sources.map((s) => [s.from, s]));
  const ends = () => new Map((from === null ? [] : sources().get(from)?.ends || []).map((e) => [e.to, e]));

  // target is what a cell is in the moves to choose from: a source or an end; null: none.
  function target(name) {
    if (name.startsWith("goal")) return name[5] === letter() ? "goal" : null;
    if (!name.startsWith("hand")) return name;
    return name[5] !== letter() ? null : shown.placing ? name[6] + "@" : "+" + name[6];
  }

  // ---- the cells

  function layOut() {
    const had = root.contains(focused()) && focused().dataset.at;
    board = B.createBoard(shown);
    board.element.setAttribute("aria-hidden", "true");
    const [, , width, height] = board.element.getAttribute("viewBox").split(" ");
    root.style.setProperty("--aspect", width / height);
    const name = "Board; arrow keys go from square to square";
    const grid = make("div", { class: "cells", role: "group", "aria-label": name, onkeydown: keys });
    cells = new Map();
    for (const [name, rect] of places()) grid.append(cell(name, rect));
    root.replaceChildren(board.element, grid);
    rove(cells.has(had) ? had : shown.turned ? "f6" : "a1");
    if (had) focus();
  }

  // places lists the cells with their rectangles, in the order of the screen.
  function places() {
    const at = (name) => board.element.querySelector(name),
      list = [];
    const slots = (side) => [1, 2, 3].map((h) => [`hand-${side}${h}`, at(`[data-slot="${side}${h}"]`)]);
    for (let row = 6; row >= 1; row--) for (const f of "abcdef") list.push([f + row, at(`[data-square="${f}${row}"]`)]);
    if (shown.turned) list.reverse();
    const [top, bottom] = shown.turned ? "sn" : "ns"; // a side's goal is beyond the other's row
    list.unshift([`goal-${bottom}`, at(`.goal.${bottom}`)]);
    list.push([`goal-${top}`, at(`.goal.${top}`)]);
    return shown.hands ? [...slots(top), ...list, ...slots(bottom)] : list;
  }

  function cell(name, rect) {
    const b = make("button", { type: "button", class: "cell", tabindex: -1, "data-at": name }),
      n = (k) => +rect.getAttribute(k);
    const [, , w, h] = board.element.getAttribute("viewBox").split(" ").map(Number);
    const box = { left: n("x") / w, top: n("y") / h, width: n("width") / w, height: n("height") / h };
    for (const [key, share] of Object.entries(box)) b.style[key] = 100 * share + "%";
    b.addEventListener("click", (e) => {
      if (shown.editing || e.detail === 0 || (e.detail === 1 && !held)) pick(name);
    }); // a double click is one
    b.addEventListener("pointerenter", (e) => e.pointerType === "mouse" && point(name));
    b.addEventListener("pointerleave", () => point(null));
    b.addEventListener("focus", () => {
      rove(name);
      point(name);
    });
    b.addEventListener("blur", () => point(null));
    cells.set(name, b);
    return b;
  }

  function rove(name) {
    for (const [n, b] of cells) b.tabIndex = n === name ? 0 : -1;
  }
  function focus() {
    [...cells.values()].find((b) => b.tabIndex === 0)?.focus({ preventScroll: true });
  }

  const clamp = (n, least, most) => Math.max(least, Math.min(most, n));
  const mirrored = (file) => (shown.turned ? 5 - file : file);

  // rowOf is the row of a cell, from South's hand, -1, and the goal below row 1, 0, to North's hand, 8.
  function rowOf(name) {
    if (name === "goal-n") return 0;
    if (name === "goal-s") return 7;
    if (name.startsWith("hand")) return name[5] === "s" ? -1 : 8;
    return +name[1];
  }

  // cellIn names the cell of a row that is in a column or nearest to it.
  function cellIn(row, column) {
    if (row === 0) return "goal-n";
    if (row === 7) return "goal-s";
    if (row > 0 && row < 7) return "abcdef"[column] + row;
    const height = Math.floor(mirrored(column) / 2) + 1;
    return `hand-${row < 0 ? "s" : "n"}${height}`;
  }

  // keys goes to the next cell. From a goal, which is as wide as the board, the way goes on in the column it came from.
  function keys(e) {
    if (e.altKey || e.ctrlKey || e.metaKey) return;
    if (e.key === "Escape") return void clear();
    const direction = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[e.key];
    const name = e.target.dataset.at;
    if (!direction || !name) return;
    e.preventDefault();
    const by = shown.turned ? -1 : 1;
    const row = rowOf(name);
    if (name.startsWith("hand")) column = clamp(mirrored(2 * name[6] - 2) + 2 * by * direction[0], 0, 5);
    else if (!name.startsWith("goal")) column = clamp("abcdef".indexOf(name[0]) + by * direction[0], 0, 5);
    const [first, last] = shown.hands ? [-1, 8] : [0, 7];
    cells.get(cellIn(clamp(row + by * direction[1], first, last), column)).focus();
  }

  // ---- what is picked

  function changed() {
    draw();
    on.change?.();
  }
  function clear() {
    drag = null;
    from = only();
    to = height = null;
    changed();
  }
  // only is the source if there is but one: nothing else can be picked.
  const only = () => (shown.sources.length === 1 && !shown.placing ? shown.sources[0].from : null);

  // pick handles a click on a cell.
  function pick(name) {
    if (shown.editing) return on.edit(name);
    if (busy || !shown.sources.length) return;
    on.problem("");
    const at = target(name),
      open = ends();
    if (to !== null) {
      const end = open.get(to);
      if (end.drops.includes(at)) return void choose(moveText(end, at));
      if (at === to || at === from) {
        to = null;
        return changed();
      }
      return on.problem(`the piece from ${to} can't go to ${at || "that goal"}; choose ${to} again to cancel`);
    }
    if (from !== null && open.has(at)) {
      const end = open.get(at);
      if (!end.drops || end.drops.length === 1) return void choose(end.course);
      to = at;
      return changed();
    }
    if (at !== null && at === from) return shown.placing ? undefined : clear(); // it stays picked for the next square
    if (sources().has(at)) {
      from = at;
      return changed();
    }
    on.problem(refusal(name, at));
  }

  // refusal is why a cell can't be picked.
  function refusal(name, at) {
    if (name.startsWith("hand"))
      return at === null ? "that is the other side’s hand" : "no piece of that height can come in now";
    if (shown.placing)
      return from === null ? "choose a piece in your hand first" : "place it on an empty square of the set-up zone";
    if (from !== null) return at === null ? "that is the other side’s goal" : `the piece can't end on ${at}`;
    return at && at !== "goal" && shown.position.board[B.square(at)]
      ? "that piece can't move now: only pieces of your nearest row that has a move can"
      : "choose a marked piece";
  }

  // withoutDrop is the course to an end, as far as the move is known before a drop is picked.
  const withoutDrop = (end) => (end.drops ? end.course.replace(/@..$/, "") : end.course);

  // moveText is the move that has been picked with a square to end on or to drop on.
  function moveText(end, drop) {
    return drop ? end.course.replace(/@..$/, () => "@" + drop) : end.course;
  }

  async function choose(text) {
    busy = true;
    try {
      await on.move(text);
    } finally {
      busy = false;
    }
  }

  // ---- a piece is dragged: it is picked where the pointer goes down, and put where it goes up

  const cellAt = (e) => {
    /** @type {any} */ const b = document.elementFromPoint(e.clientX, e.clientY)?.closest(".cell");
    return b && root.contains(b) ? b.dataset.at : null;
  };

  // canDrag reports whether a cell has a piece that can be picked.
  function canDrag(name) {
    if (shown.editing) return !!shown.position.board[B.square(name)];
    const at = target(name);
    return !busy && at !== null && (to === null ? sources().has(at) : at === to);
  }

  root.addEventListener("pointerdown", (e) => {
    const name = e.isPrimary && e.button === 0 ? cellAt(e) : null;
    held = false;
    drag = name !== null && canDrag(name) ? { name, x: e.clientX, y: e.clientY, moved: false } : null;
  });
  addEventListener("pointermove", (e) => {
    if (!drag || !e.isPrimary) return;
    if (!e.buttons) return drop(null); // it went up outside of the window
    if (!drag.moved) {
      if (Math.hypot(e.clientX - drag.x, e.clientY - drag.y) < 6) return; // of a click
      if (!canDrag(drag.name)) return drop(null); // keys have picked something else meanwhile
      if (!shown.editing && to === null) {
        from = target(drag.name);
        on.problem("");
      }
    }
    drag = { ...drag, x: e.clientX, y: e.clientY, moved: true };
    const name = cellAt(e);
    pointed = name && target(name);
    changed();
  });
  addEventListener("pointerup", (e) => drag && e.isPrimary && drop(cellAt(e)));
  addEventListener("pointercancel", (e) => drag && e.isPrimary && drop(null));

  // drop ends the dragging over a cell; null: elsewhere, and nothing is moved.
  function drop(name) {
    const { name: begun, moved } = drag;
    drag = null;
    held = moved;
    if (!moved) return;
    pointed = null;
    changed();
    if (name === null || name === begun) return;
    if (shown.editing) return B.square(name) in shown.position.board ? on.carry(begun, name) : undefined;
    if (to === null && !ends().has(target(name))) return on.problem(refusal(name, target(name)));
    pick(name);
  }

  // dragged is a scene in which a piece follows the pointer.
  function dragged() {
    const rect = board.element.getBoundingClientRect(),
      scale = board.element.viewBox.baseVal.width / rect.width;
    const at = [(drag.x - rect.left) * scale, (drag.y - rect.top) * scale],
      before = shown.position,
      s = B.square(drag.name);
    const hand = drag.name.startsWith("hand") ? "sn".indexOf(drag.name[5]) : -1,
      height = hand < 0 ? before.board[s] : +drag.name[6];
    const text = to === null ? preview() : withoutDrop(ends().get(to)),
      move = text ? B.parseMove(text) : undefined,
      lifted = { height, at };
    if (to !== null) return { position: B.apply(before, move), move, before, lifted };
    const position = { ...before, board: before.board.slice(), hands: before.hands.map((h) => h.slice()) };
    if (hand < 0) position.board[s] = 0;
    else position.hands[hand][height - 1]--;
    return { position, move, before, lifted };
  }

  // point shows the course to the cell pointed at.
  function point(name) {
    const at = name && target(name);
    if (at === pointed || drag?.moved) return;
    pointed = at;
    if (from !== null && !busy) changed();
  }

  // preview is the text of the move picked or pointed at, as far as it goes; "": none.
  function preview() {
    const open = ends();
    if (to !== null)
      return open.get(to).drops.includes(pointed) ? moveText(open.get(to), pointed) : withoutDrop(open.get(to));
    return from !== null && pointed !== null && open.has(pointed) ? withoutDrop(open.get(pointed)) : "";
  }

  // scene is what to draw.
  function scene() {
    if (drag?.moved) return dragged();
    const p = shown.position,
      text = preview();
    if (!text) return shown.scene && (from === null || from === only()) ? shown.scene : { position: p };
    const move = B.parseMove(text);
    if (to === null) return { position: p, move, before: p };
    const lifted = move.drop === null ? { square: move.to, height: p.board[move.to] } : null;
    return { position: B.apply(p, move), move, before: p, lifted };
  }

  function draw() {
    board.draw(scene());
    root.classList.toggle("dragging", !!drag?.moved);
    const open = ends(),
      list = sources(),
      drops = to !== null ? open.get(to).drops : [];
    for (const [name, b] of cells) {
      const at = target(name),
        source = list.has(at),
        picked = at !== null && at === from,
        displaced = at !== null && at === to,
        drop = drops.includes(at),
        end = to === null && open.get(at),
        bounces = end
          ? B.parseMove(end.course)
              .steps.slice(0, -1)
              .filter((step) => !step.crossed).length
          : 0;
      const marks = [
        [source, from === null || picked ? "source" : "source other"],
        [source && from === null, "", shown.placing ? "can be placed" : "can move"],
        [picked, "picked", "picked"],
        [displaced, "displaced", "to be displaced"],
        [drop, "drop", "the displaced piece can go here"],
        [end, end?.drops ? "displace" : "end", end && endWords(end, bounces)],
        [bounces, "bounced"],
      ].filter(([is]) => is);
      b.className = ["cell", ...marks.map((m) => m[1])].filter(Boolean).join(" ");
      b.setAttribute("aria-label", [label(name), ...marks.map((m) => m[2])].filter(Boolean).join(", "));
      b.setAttribute("aria-disabled", String(!(shown.editing || source || end || drop || displaced)));
    }
  }

  function endWords(end, bounces) {
    if (shown.placing) return "can be placed here";
    return (end.drops ? "can take its place" : "can end here") + (bounces ? ` after ${count(bounces, "bounce")}` : "");
  }

  // label describes a cell.
  function label(name) {
    const p = shown.position;
    if (name.startsWith("goal")) return sideNames[name[5]] + "’s goal";
    if (name.startsWith("hand")) {
      const n = p.hands["sn".indexOf(name[5])][name[6] - 1] || "none";
      return `${n} of height ${name[6]} in ${sideNames[name[5]]}’s hand`;
    }
    return `${name}, ${p.board[B.square(name)] ? "height " + p.board[B.square(name)] : "empty"}`;
  }

  // prompt returns an instruction for the next step.
  function prompt() {
    if (!shown.sources.length) return "";
    if (shown.placing)
      return from === null
        ? "Choose a piece in your hand, then a square."
        : `Put down the ${from[0]} on a marked square.`;
    if (to !== null) return `Put down the ${shown.position.board[B.square(to)]} that stood on ${to}.`;
    if (from === null) return "Choose one of the marked pieces" + whereFrom() + ".";
    const piece = from[0] === "+" ? `of height ${from[1]} in the hand` : "on " + from;
    return `The piece ${piece} can go to ${count(ends().size, "place")}.`;
  }

  // whereFrom says where the pieces are that can be picked, if some are in the hand.
  function whereFrom() {
    const entering = shown.sources.filter((s) => s.from[0] === "+").length;
    return entering === 0 ? "" : entering < shown.sources.length ? ", on the board or in the hand" : " in the hand";
  }

  // show sets what is shown, other fields than those in the argument stay, and
  // releases what is picked; while pieces are placed a height stays picked.
  function show(changes) {
    drag = null;
    if (shown.placing && from !== null) height = from;
    shown = { ...shown, ...changes };
    from = shown.placing && sources().has(height) ? height : only();
    to = null;
    const form = `${!!shown.hands} ${!!shown.turned}`;
    if (form !== shape) {
      shape = form;
      layOut();
    }
    draw();
  }

  return { show, focus, prompt, preview, clear, picked: () => from, board: () => board };
}
