// A tree of variations. A node is a position, made by its move from its parent's; the first of its children is the
// main line.
import * as B from "./board.js";

const maxNodes = 2000,
  maxPlies = 1000;

// newNode returns a node: after a move from another one, or the root of a tree at a position. Its state is the server's
// answer; its position is by the moves alone. multi is the number of lines that were searched, score its element.
function newNode(parent, text, position) {
  const move = parent ? short(text) : "",
    ply = parent ? parent.ply + (text[1] === "@" ? 0 : 1) : 0; // placements are no plies
  return { parent, text, move, ply, children: [], position, state: null, lines: null, multi: "", score: null };
}

export const newTree = (start) => newNode(null, "", B.parsePosition(start));

// path lists the nodes from the root, which is left out, to one.
export function path(node) {
  const list = [];
  for (; node.parent; node = node.parent) list.unshift(node);
  return list;
}

// end is the last node of the main line after a node.
export const end = (node) => (node.children.length ? end(node.children[0]) : node);

const rootOf = (node) => (node.parent ? rootOf(node.parent) : node);
const size = (node) => node.children.reduce((n, c) => n + size(c), 1);

// short is a move in short notation, from either one.
export function short(text) {
  const m = B.parseMove(text);
  if (m.kind !== "move") return text;
  const from = m.from === null ? "+" + m.height : B.nameOf(m.from);
  if (m.to === -1) return from + "-goal";
  return from + (m.drop === null ? "-" + B.nameOf(m.to) : `x${B.nameOf(m.to)}@${B.nameOf(m.drop)}`);
}

// child is the node after a move from a node, made if there is none yet; null if there are too many.
export function child(node, text) {
  const move = short(text),
    known = node.children.find((c) => c.move === move);
  if (known) return known;
  if (size(rootOf(node)) > maxNodes || node.ply >= maxPlies) return null;
  const made = newNode(node, text, B.apply(node.position, B.parseMove(text)));
  node.children.push(made);
  return made;
}

// remove removes a node, and promote makes it and those before it the main line.
export function remove(node) {
  node.parent.children = node.parent.children.filter((c) => c !== node);
}
export function promote(node) {
  for (const n of path(node)) n.parent.children = [n, ...n.parent.children.filter((c) => c !== n)];
}

// written is the tree below a node as text.
export function written(node) {
  const [main, ...others] = node.children;
  if (!main) return "";
  const variations = others.map((c) => `( ${[c.move, written(c)].filter(Boolean).join(" ")} )`);
  return [main.move, ...variations, written(main)].filter(Boolean).join(" ");
}

// order lists the nodes below a node in the order of the text.
export function order(node) {
  const [main, ...others] = node.children;
  return main ? [main, ...others.flatMap((c) => [c, ...order(c)]), ...order(main)] : [];
}

// readMoves adds the moves of a text below a node. It returns false at what is no move.
export function readMoves(node, text) {
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
      try {
        at = token.length > 512 ? null : child(at, token);
      } catch {
        return false;
      }
      if (!at) return false;
    }
  }
  return true;
}
