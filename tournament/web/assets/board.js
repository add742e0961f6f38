// Draws boards and follows moves in the notation of records. It
// applies moves to a board and doesn't check whether they are legal.
import { el } from "./dom.js";

const SIZE = 60,
  LEFT = 26,
  BOARD = 6 * SIZE,
  BAR = 26,
  HAND = 46,
  SLOT = 88;
const SOUTH = 0,
  NORTH = 1,
  SIDES = ["South", "North"];

// square turns "a1" into a number from 0 (a1) to 35 (f6).
export const square = (name) => name.charCodeAt(0) - 97 + 6 * (name.charCodeAt(1) - 49);
export const nameOf = (s) => "abcdef"[s % 6] + (1 + Math.floor(s / 6));

// parsePosition reads a position text.
export function parsePosition(text) {
  const [board, side, hands, goals] = text.trim().split(/\s+/);
  return {
    board: [...board.replace(/\//g, "")].map(Number),
    side: side === "n" ? NORTH : SOUTH,
    hands: (/^\d{3}\/\d{3}$/.test(hands) ? hands : "000/000").split("/").map((h) => [...h].map(Number)),
    goals: (/^\d-\d$/.test(goals) ? goals : "0-0").split("-").map(Number),
    kang: goals !== undefined,
  };
}

// parseMove reads a move in long notation. steps are the squares after the
// start; those crossed are marked. The goal is the square -1.
export function parseMove(text) {
  const m = { text, kind: "move", height: 0, from: null, steps: [], to: null, drop: null };
  if (text === "pass") return { ...m, kind: "pass" };
  const placed = /^([123])@([a-f][1-6])$/.exec(text);
  if (placed) return { ...m, kind: "place", height: +placed[1], to: square(placed[2]) };
  let crossed = false,
    dropping = false;
  for (const [token] of text.matchAll(/\+[123]|[a-f][1-6]|goal|[()@]/g)) {
    if (token === "(" || token === ")") crossed = token === "(";
    else if (token === "@") dropping = true;
    else if (token[0] === "+") m.height = +token[1];
    else if (dropping) m.drop = square(token);
    else if (m.from === null && !m.height) m.from = square(token);
    else m.steps.push({ square: token === "goal" ? -1 : square(token), crossed });
  }
  m.to = m.steps[m.steps.length - 1].square;
  return m;
}

// mover is the side that makes the move: pieces are placed on one's own half.
export const mover = (p, m) => (m.kind === "place" ? (m.to < 18 ? SOUTH : NORTH) : p.side);

// apply returns the position after a move.
export function apply(p, m) {
  const side = mover(p, m);
  const q = { ...structuredClone(p), side: 1 - side };
  if (m.kind === "pass") return q;
  if (m.kind === "place") {
    q.hands[side][m.height - 1]--;
    q.board[m.to] = m.height;
    q.side = SOUTH; // once all stand, South begins
    return q;
  }
  let height = m.height;
  if (m.from === null) q.hands[side][height - 1]--;
  else {
    height = q.board[m.from];
    q.board[m.from] = 0;
  }
  if (m.to === -1) {
    q.goals[side]++;
    if (q.kang) q.hands[1 - side][height - 1]++;
    return q;
  }
  if (m.drop !== null) {
    const displaced = q.board[m.to];
    q.board[m.to] = 0;
    q.board[m.drop] = displaced;
  }
  q.board[m.to] = height;
  return q;
}

// follow lists moves in long notation from a position, each with the positions around it and the number of its ply;
// placements are no plies.
export function follow(p, texts) {
  let n = 0;
  return texts.map((text) => {
    const before = p,
      move = parseMove(text);
    p = apply(p, move);
    return { before, move, position: p, ply: move.kind === "place" ? "·" : String(++n) };
  });
}

// length is the number of steps of a move, the way of a displaced piece counted as one.
export const length = (m) => (m.kind === "place" ? 1 : m.steps.length + (m.drop === null ? 0 : 1));

// rows is the board of a position as position texts write it.
export const rows = (p) => p.board.join("").replace(/(.{6})(?=.)/g, "$1/");

// piece draws as many rings as the piece is high, and its height as a figure.
function piece(parent, x, y, height, scale = 1) {
  const g = el(parent, "g", { transform: `translate(${x} ${y}) scale(${scale})` });
  for (let k = height; k >= 1; k--) el(g, "circle", { class: k === 1 ? "ring top" : "ring", r: 8 + 5 * k });
  el(g, "text", { class: "height", "text-anchor": "middle", dy: ".36em" }, height);
  return g;
}

// Texts have the same size on boards of any size: --unit is how many units of the drawing a pixel has.
const scales = new ResizeObserver((list) => {
  for (const { target, contentRect } of list)
    if (contentRect.width)
      /** @type {SVGElement} */ (target).style.setProperty("--unit", String((LEFT + BOARD + 8) / contentRect.width));
});

// slotX is where a hand's pieces of a height begin; each height has a place of its own.
const slotX = (i) => LEFT + BOARD - (3 - i) * SLOT;

// createBoard returns a board in a new svg element: element, aim, which draws an arrow over the pieces, from the start of a
// move in a position to its end, or removes it, and draw, which shows a
// scene: {position, move, before, door, lifted}. move is drawn with its course;
// door says how many of its steps have been made (all by default), and before is
// the position it began in. A fraction of a door is a piece between two squares;
// a door beyond the last is a displaced piece on its way. lifted is one that has no
// square yet: its height, and at, the point where it is, or the square beside which it is held.
// Options: hands leaves room for them, turned puts North below.
export function createBoard(options = {}) {
  const hands = !!options.hands,
    turned = !!options.turned;
  const top = (hands ? HAND : 0) + BAR + 8,
    height = top + BOARD + BAR + 8 + (hands ? HAND : 0) + 26;
  const svg = el(null, "svg", { class: "board", viewBox: `0 0 ${LEFT + BOARD + 8} ${height}`, role: "img" });
  scales.observe(svg);
  const ground = el(svg, "g", {}),
    marks = el(svg, "g", {}),
    pieces = el(svg, "g", {}),
    over = el(svg, "g", {}),
    pointed = el(svg, "g", { class: "pointed" });
  const x = (s) => LEFT + ((turned ? 35 - s : s) % 6) * SIZE + SIZE / 2;
  const y = (s) => top + (5 - Math.floor((turned ? 35 - s : s) / 6)) * SIZE + SIZE / 2;
  const at = (s) => [x(s), y(s)]; // the middle of a square
  const below = turned ? NORTH : SOUTH; // the side whose row is the lowest
  // Beyond South's row and beyond North's; the middles of their hands.
  const barY = [0, 1].map((side) => (side === below ? top + BOARD + 8 + BAR / 2 : top - 8 - BAR / 2));
  // edgeY is where pieces cross the edge of a bar: its name stays in view.
  const edgeY = [0, 1].map((side) => barY[side] + (side === below ? -1 : 1) * (BAR / 2 - 1));
  const handY = [0, 1].map((side) => (side === below ? height - HAND / 2 + 2 : HAND / 2));

  const box = (name, x, y, width, height, more) =>
    el(ground, "rect", { class: name, x, y, width, height, rx: 8, ...more });
  const circle = (parent, name, c, r, more = {}) =>
    el(parent, "circle", { class: name, cx: c[0], cy: c[1], r, ...more });
  const way = (points) => "M" + points.map((q) => q.join(" ")).join("L");

  const names = [SOUTH, NORTH].map((side) => {
    const y = barY[1 - side],
      x = LEFT + BOARD / 2;
    box("goal " + "sn"[side], LEFT, y - BAR / 2, BOARD, BAR, {});
    return el(ground, "text", { class: "aim-" + "sn"[side], "text-anchor": "middle", x, y, dy: ".36em" });
  });
  for (let s = 0; s < 36; s++) {
    const name = "square" + ((s + Math.floor(s / 6)) % 2 ? " odd" : ""),
      size = SIZE - 2;
    box(name, x(s) - size / 2, y(s) - size / 2, size, size, { rx: 6, "data-square": nameOf(s) });
  }
  if (hands) {
    for (const side of [SOUTH, NORTH]) {
      for (let i = 0; i < 3; i++)
        box("slot", slotX(i), handY[side] - HAND / 2 + 2, SLOT - 2, HAND - 4, { "data-slot": "sn"[side] + (i + 1) });
    }
  }
  for (let i = 0; i < 6; i++) {
    el(ground, "text", { "text-anchor": "middle", x: x(i), y: top + BOARD + BAR + 9, dy: ".9em" }, "abcdef"[i]);
    el(ground, "text", { "text-anchor": "end", x: LEFT - 7, y: y(6 * i), dy: ".36em" }, i + 1);
  }

  function drawHands(p) {
    for (const side of [SOUTH, NORTH]) {
      const yy = handY[side];
      el(pieces, "text", { x: LEFT, y: yy, dy: ".36em", class: "aim-" + "sn"[side] }, SIDES[side]);
      p.hands[side].forEach((n, i) => {
        const apart = Math.min(40, (SLOT - 42) / Math.max(1, n - 1)),
          first = slotX(i) + SLOT / 2 - 1 - ((n - 1) * apart) / 2;
        for (let k = 0; k < n; k++)
          piece(pieces, first + k * apart, yy, i + 1, 0.8).setAttribute("data-hand", "sn"[side] + (i + 1));
      });
    }
  }

  // course lists the points of a move's course, the start first.
  function course(p, m) {
    const side = p.side,
      points = [];
    if (m.from !== null) points.push(at(m.from));
    else points.push([x(m.steps[0].square === -1 ? 2 : m.steps[0].square), edgeY[side]]);
    for (const s of m.steps) {
      if (s.square === -1) points.push([points[points.length - 1][0], edgeY[1 - side]]);
      else points.push(at(s.square));
    }
    return points;
  }

  // point is where a piece is on a list of points after so many steps.
  function point(points, door) {
    const a = points[Math.floor(door)],
      b = points[Math.ceil(door)],
      part = door % 1;
    return [a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])];
  }

  // drawCourse puts the line below the pieces, and what is marked on them above.
  function drawCourse(p, m, door) {
    const points = course(p, m),
      whole = door >= m.steps.length,
      made = whole ? m.steps.length : Math.floor(door);
    const shown = points.slice(0, made + 1);
    if (door % 1 && !whole) shown.push(point(points, door));
    if (m.from !== null) circle(marks, "from", points[0], 25);
    if (shown.length > 1)
      el(marks, "path", { class: "path", d: way(whole ? cut(shown, m.to === -1 ? 10 : 30) : shown) });
    for (let i = 1; i < made + (whole ? 0 : 1); i++) circle(marks, "door", point(shown, i - 0.5), 3.6);
    if (whole) arrow(...shown.slice(-2), m.to === -1 ? 0 : 10 + 5 * (m.height || p.board[m.from]), "arrow");
    m.steps.slice(0, made).forEach((s, i) => {
      if (!s.crossed && i < m.steps.length - 1)
        circle(over, "bounced", points[i + 1], 26.5, { "data-bounce": nameOf(s.square) });
    });
    if (door >= m.steps.length + 1 && m.drop !== null) {
      const a = at(m.to),
        b = at(m.drop),
        mid = bend(a, b);
      const begin = cut([mid, a], 24)[1],
        end = cut([mid, b], 36)[1];
      el(over, "path", { class: "droppath", d: `M${begin.join(" ")}Q${mid.join(" ")} ${end.join(" ")}` });
      arrow(mid, b, 26, "droparrow");
      circle(over, "landed", b, 26.5);
    }
  }

  // bend is the point beside a line from a to b that its curve is drawn to.
  function bend(a, b) {
    const dx = b[0] - a[0],
      dy = b[1] - a[1],
      l = Math.hypot(dx, dy) || 1;
    return [(a[0] + b[0]) / 2 - (dy / l) * 26, (a[1] + b[1]) / 2 + (dx / l) * 26];
  }

  // cut ends a line some way short of its last point.
  function cut(points, by) {
    const list = points.map((q) => q.slice()),
      a = list[list.length - 2],
      b = list[list.length - 1];
    const l = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
    b[0] -= ((b[0] - a[0]) / l) * Math.min(by, l);
    b[1] -= ((b[1] - a[1]) / l) * Math.min(by, l);
    return list;
  }

  // arrow draws the head of a line from a that ends short of b.
  function arrow(a, b, short, cls, parent = over) {
    const angle = (Math.atan2(b[1] - a[1], b[0] - a[0]) * 180) / Math.PI;
    el(parent, "path", {
      class: cls,
      d: "M-12 -8L0 0L-12 8Z",
      transform: `translate(${b.join(" ")}) rotate(${angle}) translate(${-short} 0)`,
    });
  }

  function aim(p = null, m = null) {
    pointed.replaceChildren();
    if (m?.kind !== "move") return;
    const points = course(p, m),
      ends = [points[0], points[points.length - 1], ...(m.drop === null ? [] : [at(m.drop)])];
    ends.slice(1).forEach((b, i) => {
      el(pointed, "path", { class: i ? "aside" : "", d: way(cut([ends[i], b], 14)) });
      arrow(ends[i], b, 2, "head", pointed);
    });
  }

  // lift draws a piece that stands on no square.
  function lift(at, h, name) {
    piece(el(over, "g", { class: "lifted", "data-lifted": name }), at[0], at[1], h, 1.1);
  }
  // above is where a displaced piece is held: beside the one that has its square.
  const above = (s) => [x(s) + (x(s) > LEFT + BOARD - SIZE ? -20 : 20), y(s) - 24];

  // flight draws the piece of a move that is on its way after so many steps.
  function flight(p, m, door) {
    if (m.kind === "place") {
      const side = mover(p, m),
        from = [slotX(m.height - 1) + SLOT / 2, handY[side]];
      return lift(point([from, at(m.to)], door), m.height, nameOf(m.to));
    }
    if (door < m.steps.length) return lift(point(course(p, m), door), m.height || p.board[m.from], "");
    lift(point([above(m.to), at(m.drop)], door - m.steps.length), p.board[m.to], nameOf(m.drop));
  }

  // onTheWay is the position while a piece is on its way, which is left out.
  function onTheWay(p, m, door) {
    if (door >= length(m) - (m.drop === null ? 0 : 1)) {
      const q = apply(p, m);
      q.board[m.drop] = 0;
      return q;
    }
    const q = structuredClone(p);
    if (m.from !== null) q.board[m.from] = 0;
    else q.hands[mover(p, m)][m.height - 1]--;
    return q;
  }

  function draw(scene) {
    const { position, move, before } = scene,
      door = scene.door ?? Infinity;
    marks.replaceChildren();
    pieces.replaceChildren();
    over.replaceChildren();
    names.forEach((name, side) => {
      const out = position.kang ? `: ${position.goals[side]} out` : "";
      name.textContent = `${SIDES[side]}’s goal${out}`;
    });
    const travelling = move && door < length(move),
      shown = travelling ? onTheWay(before, move, door) : position;
    shown.board.forEach((h, s) => {
      if (h) piece(pieces, x(s), y(s), h).setAttribute("data-piece", nameOf(s) + h);
    });
    if (hands) drawHands(shown);
    if (move && move.kind === "move") drawCourse(before, move, door);
    if (travelling) flight(before, move, door);
    else if (move && move.kind === "place") circle(over, "bounced", at(move.to), 24.5);
    const held = scene.lifted;
    if (held) lift(held.at ?? above(held.square), held.height, (held.at ? "" : nameOf(held.square)) + held.height);
    svg.setAttribute("data-position", rows(travelling ? before : position));
    svg.setAttribute("aria-label", describePosition(shown));
  }
  return { element: svg, draw, aim };
}

// describePosition returns a sentence on a position.
function describePosition(p) {
  const list = [];
  for (let r = 0; r < 6; r++) {
    const row = [];
    for (let f = 0; f < 6; f++) if (p.board[6 * r + f]) row.push(`${p.board[6 * r + f]} on ${nameOf(6 * r + f)}`);
    if (row.length) list.push(`row ${r + 1}: ${row.join(", ")}`);
  }
  return "Board, from South’s side. " + (list.join("; ") || "empty") + ".";
}

// describeMove returns a sentence on a move.
export function describeMove(p, m) {
  const side = SIDES[mover(p, m)];
  if (m.kind === "pass") return `${side} passes.`;
  if (m.kind === "place") return `${side} places a ${m.height} on ${nameOf(m.to)}.`;
  const parts = [
    m.from === null ? `${side} brings in a ${m.height}` : `${side} moves the ${p.board[m.from]} from ${nameOf(m.from)}`,
  ];
  m.steps.slice(0, -1).forEach((s) => {
    if (!s.crossed) parts.push(`bounces off the ${p.board[s.square]} on ${nameOf(s.square)}`);
  });
  if (m.to === -1) parts.push("and brings it over the far side");
  else if (m.drop !== null)
    parts.push(`takes the place of the ${p.board[m.to]} on ${nameOf(m.to)}, which goes to ${nameOf(m.drop)}`);
  else parts.push(`ends on ${nameOf(m.to)}`);
  const last = parts.pop(),
    and = m.to === -1 ? " " : parts.length > 1 ? ", and " : " and ";
  return parts.join(", ") + and + last + ".";
}
