// The pieces of a position are edited on the board.
import * as B from "./board.js";
import { $, keepFocus, sentence } from "./dom.js";

const pieces = 4; // of each height
const squareOf = (name) => (/^[a-f][1-6]$/.test(name) ? B.square(name) : undefined);
/** @returns {any} */
const radio = (name, value = ":checked") => document.querySelector(`#editor [name=${name}]${value}`);
const noHands = () => [
  [0, 0, 0],
  [0, 0, 0],
];

// create returns an editor. These functions of page are called: show draws a position on the board, closed is called at
// the end, use with the text of the position made, announce reads a text out.
export function create(page) {
  let p = null; // the position being edited; null: none is

  // open begins the editing of a position.
  function open(text) {
    p = B.parsePosition(text);
    if (!p.kang) p.hands = noHands(); // all pieces are put on squares
    shown(true);
    radio("side", `[value=${"sn"[p.side]}]`).checked = true;
    $("kang-fields").hidden = !p.kang;
    if (p.kang) [$("goals").value, $("took").value] = text.split(" ").slice(3);
    draw();
  }

  function close() {
    p = null;
    shown(false);
    keepFocus($("edit"));
  }

  function shown(opened) {
    $("editor").hidden = !opened;
    $("edit").setAttribute("aria-pressed", String(opened));
    $("analyse").classList.toggle("editing", opened);
  }

  function draw() {
    const hands = p.kang ? ", and hands to change the number of pieces there" : "";
    $("headline").textContent =
      `Click squares to put pieces on them or to remove them${hands}. Drag pieces to move them.`;
    $("course").textContent = "";
    page.show(p);
    const all = [...p.board, ...p.hands.flatMap((hand) => hand.flatMap((n, i) => Array(n).fill(i + 1)))];
    const wrong = [1, 2, 3].map((h) => [h, pieces - all.filter((x) => x === h).length]).filter(([, n]) => n !== 0);
    const texts = wrong.map(([h, n]) => `${Math.abs(n)} of height ${h} ${n > 0 ? "missing" : "too many"}`);
    $("missing").textContent = sentence(texts.join(", ")) || "All pieces are there.";
  }

  // carry puts a piece on another square.
  function carry(from, to) {
    const a = squareOf(from),
      b = squareOf(to);
    [p.board[a], p.board[b]] = [0, p.board[a]];
    draw();
    page.announce(`${from} to ${to}`);
  }

  // put puts a piece on a square, or changes a hand.
  function put(name) {
    const s = squareOf(name),
      height = +radio("piece").value;
    if (s !== undefined) p.board[s] = p.board[s] === height ? 0 : height;
    else if (name.startsWith("hand")) {
      const hand = p.hands["sn".indexOf(name[5])];
      hand[name[6] - 1] = (hand[name[6] - 1] + 1) % (pieces + 1);
    }
    draw();
    page.announce($("table").querySelector(`[data-at="${name}"]`).getAttribute("aria-label"));
  }

  function cancel() {
    close();
    page.closed();
  }
  $("cancel").addEventListener("click", cancel);
  $("clear").addEventListener("click", () => {
    p.board.fill(0);
    p.hands = noHands();
    draw();
  });
  $("editor").addEventListener("submit", (e) => {
    e.preventDefault();
    const fields = [B.rows(p), radio("side").value];
    if (p.kang) fields.push(p.hands.map((hand) => hand.join("")).join("/"), $("goals").value, $("took").value);
    page.use(fields.join(" "));
  });
  document.addEventListener("keydown", (e) => {
    const typing = /** @type {Element} */ (e.target).closest("input[type=text]");
    if (p && /^[0-3]$/.test(e.key) && !typing) radio("piece", `[value="${e.key}"]`).checked = true;
  });

  return { open, close, cancel, draw, put, carry, isOpen: () => p !== null };
}
