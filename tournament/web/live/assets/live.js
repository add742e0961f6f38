// Keeps a page up to date with server-sent events. An event holds the parts of
// the page that changed, by name.
import * as B from "./board.js";
import { $, find, focused, keepReceiving, make, scoreText } from "./dom.js";
import { gridKeys } from "./matrix.js";
import { viewer } from "./viewer.js";

const partOf = (name) => find(`[data-part="${CSS.escape(name)}"]`);
const main = find("[data-events]"),
  page = document.documentElement;
const state = $("page-data") ? JSON.parse($("page-data").textContent) : {};
let paused = false,
  waiting = null,
  connected = true;

// replacePart replaces the content of a part; open details, scroll positions and
// the focus stay.
function replacePart(box, html) {
  const open = [...box.querySelectorAll("details")].map((d) => d.open);
  const scroll = [...box.querySelectorAll(".scroll")].map((d) => d.scrollLeft);
  const focusable = () => [...box.querySelectorAll("a[href], summary, [tabindex]")];
  const place = focusable().indexOf(focused());
  box.innerHTML = html; // ours: written by the server's templates
  box.querySelectorAll("details").forEach((d, i) => (d.open = !!open[i]));
  box.querySelectorAll(".scroll").forEach((d, i) => (d.scrollLeft = scroll[i] || 0));
  gridKeys(box);
  if (place >= 0) focusable()[place]?.focus({ preventScroll: true });
}

// section returns the element of a section, and creates it if needed.
function section(id) {
  const name = "section " + id;
  if (partOf(name)) return partOf(name);
  const box = make("div", { "data-part": name, "data-section": id }),
    order = (state.contents || []).map((s) => s.id);
  const next = order
    .slice(order.indexOf(id) + 1)
    .map((x) => partOf("section " + x) || $(x))
    .find(Boolean);
  if (next) next.before(box);
  else main.append(box);
  return box;
}

function contents() {
  const list = find("[data-contents]");
  if (!list) return;
  const links = [];
  if (state.playing?.length) links.push(["playing", "Games under way"]);
  if (state.latest?.length) links.push(["latest", "The latest games"]);
  for (const { id, title } of state.contents || []) links.push([id, title]);
  const text = JSON.stringify(links);
  if (list.dataset.shown === text) return;
  list.dataset.shown = text;
  list.replaceChildren(...links.map(([id, title]) => make("li", {}, make("a", { href: "#" + id }, title))));
}

function badge() {
  const b = find("[data-badge]"),
    lost = find("[data-lost]"); // on the list of runs
  if (lost) lost.hidden = connected;
  if (!b) return;
  const running = connected ? (state.running ? "live" : "not running") : "not connected";
  b.textContent = paused ? "paused" : running;
  b.className = "badge " + (paused ? "paused" : running === "live" ? "running" : "");
}

// picture returns the board of a scene.
function picture(scene, hands = false) {
  const board = B.createBoard({ hands });
  board.draw(scene);
  return board.element;
}

const front = find("[data-move]"); // with a picture of a move
if (front) front.prepend(picture(B.follow(B.parsePosition(front.dataset.position), [front.dataset.move])[0]));

// card is a board with the last position of a game: a link to it if it is recorded, else with its last move in words
// and the score.
function card({ game: g, rules, south, north }) {
  const start = B.parsePosition(g.opening || "000000/000000/000000/000000/000000/000000 s"),
    moves = B.follow(start, g.opening ? g.moves : []),
    { before, move, position, ply } = moves.at(-1) ?? { position: start, ply: 0 };
  const lines = [`${rules}: ` + (g.result ? `${g.result} by ${g.reason} after ply ${g.plies}` : `ply ${ply}`)];
  if (!g.result && move) {
    const score = scoreText(g.scores?.[moves.length - 1]);
    if (score) lines[0] += `, ${B.mover(before, move) ? "North" : "South"} ${score}`;
    lines.push(B.describeMove(before, move));
  }
  const address = g.result ? { href: `#game=${g.id}&ply=${moves.length}` } : {};
  const players = [make("b", { class: "dot-s" }, south), make("b", { class: "dot-n" }, north)];
  return make(
    g.result ? "a" : "div",
    { class: "card", title: lines.join("; "), ...address },
    picture({ position, move, before }, position.kang),
    make("span", { class: "pair" }, ...players),
    ...lines.map((text) => make("span", { class: "keys" }, text)),
  );
}

// boards shows games on boards in the section of a name.
function boards(name, games) {
  const box = partOf(name);
  if (!box) return;
  $(name).hidden = !games.length;
  const at = box.contains(focused()) && focused().getAttribute("href");
  box.replaceChildren(...games.map(card));
  if (at) [...box.children].find((a) => a.getAttribute("href") === at)?.focus({ preventScroll: true });
}

// show shows the list of runs at an address, where the page stays.
async function show(/** @type {string} */ address) {
  const response = await fetch(address).catch(() => null);
  if (!response?.ok) return; // the next event asks again
  const text = await response.text();
  if (address !== location.href) return; // the query has changed meanwhile
  const next = new DOMParser().parseFromString(text, "text/html");
  replacePart(partOf("runs"), next.querySelector('[data-part="runs"]').innerHTML);
}

// What is typed or chosen in the form of the list goes into the address at once.
const form = find("[data-list]");
form?.addEventListener("input", () => {
  const query = new URLSearchParams(/** @type {any} */ (new FormData(/** @type {HTMLFormElement} */ (form))));
  for (const [name, value] of [...query]) if (!value) query.delete(name);
  history.replaceState(null, "", "?" + query);
  show(location.href);
});

const paragraphs = (texts) => texts.map((t) => make("p", { class: "lead" }, t));
const facts = (list) => list.map((f) => make("div", {}, make("dt", {}, f.Name), make("dd", {}, f.Value)));
const setText = (name) => (value) => {
  if (partOf(name)) partOf(name).textContent = value;
};

// shown are the functions that show a part; other parts are sections, or belong to the state alone.
const shown = {
  runs: () => show(location.href),
  status: setText("status"),
  sampled: setText("sampled"),
  state: (value) => replacePart(partOf("state"), value),
  summary: (value) => partOf("summary").replaceChildren(...paragraphs(value || [])),
  facts: (value) => partOf("facts").replaceChildren(...facts(value || [])),
  latest: (value) => boards("latest", value),
  playing: (value) => boards("playing", value),
};

function apply(parts) {
  if (state.reading && parts.reading === false) return location.reload(); // for the games of the viewer
  Object.assign(state, parts);
  for (const [name, value] of Object.entries(parts)) {
    if (name.startsWith("section ")) replacePart(section(name.slice(8)), value);
    else shown[name]?.(value);
  }
  for (const box of document.querySelectorAll("[data-section]")) {
    const id = /** @type {HTMLElement} */ (box).dataset.section;
    if (state.contents && !state.contents.some((s) => s.id === id)) box.remove();
  }
  if (state.agents && state.rules)
    viewer.update([...state.agents], [...state.rules], structuredClone(state.latest || []));
  contents();
  badge();
  page.dataset.updates = String(+(page.dataset.updates || 0) + 1);
}

const pause = find("[data-pause]");
pause?.addEventListener("click", () => {
  paused = !paused;
  pause.setAttribute("aria-pressed", String(paused));
  badge();
  if (paused || !waiting) return;
  apply(waiting);
  waiting = null;
  delete page.dataset.waiting;
});

if (state.latest) boards("latest", state.latest);
if (state.playing) boards("playing", state.playing);
contents();
badge();
if (location.hash.startsWith("#game=")) viewer.toView(); // the boards above have moved it

// The events are those that come after a version of the page.
let version = "",
  following = new AbortController();
function begin() {
  following = new AbortController();
  const address = () => {
    const url = new URL(main.dataset.events, location.href);
    if (version) url.searchParams.set("after", version);
    return url;
  };
  const act = (_, change) => {
    version = change.version;
    if (!paused) return apply(change.parts);
    waiting = { ...waiting, ...change.parts };
    page.dataset.waiting = "true";
  };
  keepReceiving(address, following.signal, act, (is) => {
    connected = is;
    badge();
  });
}
if (main) begin();
addEventListener("pagehide", () => following.abort());
addEventListener("pageshow", (e) => e.persisted && begin());
