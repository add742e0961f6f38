// The viewer's list of games, with menus that filter it.
import { make, mark } from "./dom.js";

const mostListed = 500; // rows
const filterKeys = ["rules", "player", "against", "result", "reason"];

const indexIn = (list, name) => (list.includes(name) ? list.indexOf(name) : list.push(name) - 1);

// createGameList returns the list of the games in data. numberOf is what the list calls a game, and hashOf the
// fragment of the address that opens one.
export function createGameList(data, numberOf, hashOf) {
  const filter = {}; // values of the menus as texts, by their keys; a key that is missing selects all games
  const picker = make("div", { class: "picker" });
  const found = make("p", { role: "status" });
  const titles = ["Game", "Rules", "South", "North", "Result", "Reason", "Plies"];
  const heads = titles.map((t) => make("th", { scope: "col" }, t));
  const body = make("tbody");
  const table = make("table", {}, make("thead", {}, make("tr", {}, ...heads)), body);
  const box = make("div", { class: "games", role: "region", "aria-label": "List of games", tabindex: "0" }, table);
  let current = null; // the game that is shown

  // menu is one of the filter's, with options that have a value and a text.
  function menu(key, label, options) {
    const select = make("select", { "data-key": key }, make("option", { value: "" }, "any"));
    for (const [value, text] of options) {
      const short = text.length > 60 ? text.slice(0, 40) + "…" + text.slice(-18) : text;
      select.append(make("option", { value }, short));
    }
    select.onchange = () => {
      set(key, select.value);
      location.hash = "#list&" + new URLSearchParams(/** @type {any} */ (filter));
    };
    return make("label", {}, label, select);
  }

  function set(key, value) {
    if (value === "") delete filter[key];
    else filter[key] = value;
  }

  const numbered = (list) => list.map((text, i) => [String(i), text]);
  const valuesOf = (key) => [...new Set(data.games.map((g) => g[key]))].sort().map((v) => [v, v]);
  function drawPicker() {
    picker.replaceChildren(
      menu("rules", "Rules", numbered(data.rules)),
      menu("player", "Player", numbered(data.agents)),
      menu("against", "Against", numbered(data.agents)),
      menu("result", "Result", valuesOf("result")),
      menu("reason", "Reason", valuesOf("reason")),
    );
  }

  // selects reports whether the filter selects a game.
  function selects(g) {
    if ("rules" in filter && g.rules !== +filter.rules) return false;
    if (filter.result && g.result !== filter.result) return false;
    if (filter.reason && g.reason !== filter.reason) return false;
    const plays = (key) => !(key in filter) || g.south === +filter[key] || g.north === +filter[key];
    const itself = filter.player !== undefined && filter.player === filter.against;
    if (itself && g.south !== g.north) return false;
    return plays("player") && plays("against");
  }

  const words = (text) => make("td", { class: "words", title: text }, text);
  const row = (g) =>
    make(
      "tr",
      { "data-id": g.id },
      make("td", {}, make("a", { href: hashOf(g.id, 0) }, numberOf(g.id))),
      ...[data.rules[g.rules], data.agents[g.south], data.agents[g.north]].map(words),
      ...[g.result, g.reason, String(g.plies)].map((text) => make("td", {}, text)),
    );

  // show lists the games of the filter, and returns them.
  function show() {
    for (const s of picker.querySelectorAll("select")) s.value = filter[s.dataset.key] ?? "";
    for (const e of [picker, found, box]) e.hidden = data.games.length < 2; // there is no choice
    const games = data.games.filter(selects);
    const rest = games.length > mostListed ? `, the first ${mostListed} listed` : "";
    found.textContent = games.length === 1 ? "1 game" : `${games.length} games${rest}`;
    body.replaceChildren(...games.slice(0, mostListed).map(row));
    markCurrent(current);
    return games;
  }

  // markCurrent marks the row of the game that is shown.
  function markCurrent(game) {
    current = game;
    for (const tr of body.children) mark(tr, game?.id === tr.dataset.id);
  }

  // choose sets the filter to that of an address, and lists its games.
  function choose(parameters) {
    for (const key of filterKeys) set(key, parameters.get(key) ?? "");
    return show();
  }

  // renumber takes other lists of players and rule sets, which hold those before, for all indices into them.
  function renumber(agents, rules) {
    const agentAt = data.agents.map((name) => indexIn(agents, name));
    const rulesAt = data.rules.map((name) => indexIn(rules, name));
    for (const g of data.games) {
      g.south = agentAt[g.south];
      g.north = agentAt[g.north];
      g.rules = rulesAt[g.rules];
    }
    for (const key of ["player", "against"]) if (key in filter) filter[key] = String(agentAt[+filter[key]]);
    if ("rules" in filter) filter.rules = String(rulesAt[+filter.rules]);
    data.agents = agents;
    data.rules = rules;
  }

  // add adds a game that names its players and rule set.
  function add({ game, south, north, rules }) {
    game.south = indexIn(data.agents, south);
    game.north = indexIn(data.agents, north);
    game.rules = indexIn(data.rules, rules);
    data.games.push(game);
  }

  // redraw shows games and menus after changes. A menu that is open stays as it is.
  function redraw() {
    if (!picker.contains(document.activeElement)) drawPicker();
    show();
  }

  // toCurrent scrolls the list so that the row of the game shown is its last one, unless it is in view.
  function toCurrent(isSeen) {
    const tr = body.querySelector("[aria-current]");
    if (!tr) return;
    const r = tr.getBoundingClientRect();
    const around = box.getBoundingClientRect();
    if (r.top < around.top || r.bottom > around.bottom || !isSeen(tr))
      box.scrollTop += r.bottom - around.bottom + 1.5 * r.height;
  }

  drawPicker();
  return { elements: [picker, found, box], box, show, choose, markCurrent, renumber, add, redraw, toCurrent };
}
