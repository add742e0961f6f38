"use strict";
// Keeps a page up to date with server-sent events. An event holds the parts of
// the page that changed, by name.
(() => {
  const main = document.querySelector("[data-events]");
  if (!main) return;
  const at = (name) => document.querySelector(`[data-part="${CSS.escape(name)}"]`);
  const data = document.getElementById("page-data");
  const state = data ? JSON.parse(data.textContent) : {};
  let paused = false, waiting = null, connected = true;

  const make = (tag, attributes, ...children) => {
    const e = document.createElement(tag);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    e.append(...children);
    return e;
  };

  // replacePart replaces the content of a part; open details, scroll positions and
  // the focus stay.
  function replacePart(box, html) {
    const open = [...box.querySelectorAll("details")].map((d) => d.open), scroll = [...box.querySelectorAll(".scroll")].map((d) => d.scrollLeft);
    const focusable = () => [...box.querySelectorAll("a[href], summary, [tabindex]")];
    const focused = focusable().indexOf(document.activeElement);
    box.innerHTML = html; // ours: written by the server's templates
    box.querySelectorAll("details").forEach((d, i) => { d.open = !!open[i]; });
    box.querySelectorAll(".scroll").forEach((d, i) => { d.scrollLeft = scroll[i] || 0; });
    gygesViewer.gridKeys(box);
    if (focused >= 0) focusable()[focused]?.focus({ preventScroll: true });
  }

  // section returns the element of a section, and creates it if needed.
  function section(id) {
    const name = "section " + id;
    if (at(name)) return at(name);
    const box = make("div", { "data-part": name, "data-section": id });
    const order = state.order || [];
    const next = order.slice(order.indexOf(id) + 1).map((x) => at("section " + x) || document.getElementById(x)).find(Boolean);
    if (next) next.before(box);
    else main.append(box);
    return box;
  }

  function contents() {
    const list = document.querySelector("[data-contents]");
    if (!list) return;
    const links = [];
    if (document.getElementById("playing")?.hidden === false) links.push(["playing", "Games under way"]);
    if (state.latest && state.latest.length) links.push(["latest", "The latest games"]);
    for (const id of state.order || []) links.push([id, state.titles[id]]);
    const text = JSON.stringify(links);
    if (list.dataset.shown === text) return;
    list.dataset.shown = text;
    list.replaceChildren(...links.map(([id, title]) => make("li", {}, make("a", { href: "#" + id }, title))));
  }

  function badge() {
    const b = document.querySelector("[data-badge]");
    if (!b) return;
    const live = state.running && connected;
    b.textContent = paused ? "paused" : !state.running ? "not running" : connected ? "live" : "not connected";
    b.className = "badge " + (paused ? "paused" : live ? "running" : "");
  }

  // card is a link to a game with its last position: element, and draw, which shows what the game has come to. Of a game
  // under way it also has the last move in words, and its score.
  function card() {
    const B = gygesBoard, element = make("a", { class: "card" });
    let board = null, hands = null;
    function draw({ game: g, rules, south, north }) {
      const moves = g.opening ? g.moves.map(B.parseMove) : [], move = moves[moves.length - 1];
      let p = B.parsePosition(g.opening || "000000/000000/000000/000000/000000/000000 s"), before = p;
      for (const m of moves) { before = p; p = B.apply(p, m); }
      if (p.kang !== hands) board = B.create({ hands: hands = p.kang });
      board.draw({ position: p, move, before });
      element.href = `#game=${g.id}&ply=${g.result ? moves.length : "last"}`;
      const lines = [`${rules}: ` + (g.result ? `${g.result} by ${g.reason} after ply ${g.plies}` : `ply ${g.plies}`)];
      if (!g.result && move) {
        const score = gygesViewer.scoreText(g.scores && g.scores[moves.length - 1]);
        if (score) lines[0] += `, ${B.mover(before, move) ? "North" : "South"} ${score}`;
        lines.push(B.describeMove(before, move));
      }
      element.replaceChildren(board.element, make("span", { class: "pair" }, make("b", { class: "dot-s" }, south), make("b", { class: "dot-n" }, north)),
        ...lines.map((text) => make("span", { class: "keys" }, text)));
      element.title = lines.join("; ");
    }
    return { element, draw };
  }

  // playing shows the games under way. Cards stay in place, so that clicks and the focus aren't lost.
  const cards = new Map();
  function playing() {
    const box = at("playing");
    if (!box || !state.playing) return;
    const games = state.playing.games.filter((id) => state.games[id]), listed = games.slice(0, 8);
    document.getElementById("playing").hidden = !games.length;
    for (const id of cards.keys()) if (!listed.includes(id)) cards.delete(id);
    for (const id of listed) {
      if (!cards.has(id)) cards.set(id, card());
      const text = JSON.stringify(state.games[id]), c = cards.get(id);
      if (c.shown !== text) c.draw(state.games[id]);
      c.shown = text;
    }
    const now = listed.map((id) => cards.get(id).element);
    for (const e of [...box.children]) if (!now.includes(e)) e.remove();
    now.forEach((e, i) => { if (box.children[i] !== e) box.insertBefore(e, box.children[i] || null); });
    const underWay = games.filter((id) => !state.games[id].game.result).length;
    at("count").textContent = state.playing.count > underWay ? `The first ${underWay} of ${state.playing.count} are shown. ` : "";
    gygesViewer.watch(structuredClone(games.map((id) => state.games[id])));
  }

  function latest(games) {
    const box = at("latest");
    if (!box) return;
    document.getElementById("latest").hidden = !games.length;
    const focused = box.contains(document.activeElement) && document.activeElement.getAttribute("href");
    box.replaceChildren(...games.slice(0, 4).map((entry) => { const c = card(); c.draw(entry); return c.element; }));
    if (focused) [...box.querySelectorAll("a")].find((a) => a.getAttribute("href") === focused)?.focus({ preventScroll: true });
  }

  function apply(parts) {
    if (state.reading && parts.reading === false) return location.reload(); // for the games of the viewer
    for (const key of ["latest", "titles", "order", "running", "playing"]) if (key in parts) state[key] = parts[key];
    for (const [name, value] of Object.entries(parts)) {
      if (name === "table") replacePart(at(name), value);
      else if (name.startsWith("section ")) replacePart(section(name.slice(8)), value);
      else if (name === "status" || name === "sampled") { if (at(name)) at(name).textContent = value; }
      else if (name === "summary") at(name).replaceChildren(...(value || []).map((t) => make("p", { class: "lead" }, t)));
      else if (name === "facts") at(name).replaceChildren(...(value || []).map((f) => make("div", {}, make("dt", {}, f.Name), make("dd", {}, f.Value))));
      else if (name === "agents") state.agents = value;
      else if (name === "rules") state.rules = value;
      else if (name === "latest") latest(value);
      else if (name.startsWith("game ")) state.games[name.slice(5)] = value;
    }
    for (const box of document.querySelectorAll("[data-section]")) if (state.order && !state.order.includes(box.dataset.section)) box.remove();
    if (state.agents && state.rules) gygesViewer.update([...state.agents], [...state.rules], structuredClone(state.latest || []));
    if (state.playing) for (const id of Object.keys(state.games)) if (!state.playing.games.includes(id)) delete state.games[id];
    playing(); contents(); badge();
    document.documentElement.dataset.updates = String(+(document.documentElement.dataset.updates || 0) + 1);
  }

  const pause = document.querySelector("[data-pause]");
  pause?.addEventListener("click", () => {
    paused = !paused;
    pause.setAttribute("aria-pressed", String(paused));
    badge();
    if (!paused && waiting) { apply(waiting); waiting = null; delete document.documentElement.dataset.waiting; }
  });

  if (state.latest) latest(state.latest);
  playing(); contents(); badge();
  if (location.hash.startsWith("#game=")) gygesViewer.toView(); // the boards above have moved it

  // follow receives the events that come after a version of the page. A browser restores
  // a connection that is lost, but gives up one that is refused because there are too
  // many (429, 503): that is tried again, after twice the time each time.
  const shortest = 2000, longest = 60000; // milliseconds
  let events = null, retry = 0, delay = shortest, version = "";
  function follow() {
    const address = new URL(main.dataset.events, location.href);
    if (version) address.searchParams.set("after", version);
    events = new EventSource(address);
    events.addEventListener("open", () => { delay = shortest; connected = true; badge(); });
    events.addEventListener("error", () => {
      connected = false;
      badge();
      if (events.readyState !== EventSource.CLOSED) return;
      retry = setTimeout(follow, delay * (0.75 + Math.random() / 2)); // not all pages at once
      delay = Math.min(2 * delay, longest);
    });
    events.addEventListener("page", (e) => {
      version = e.lastEventId;
      const parts = JSON.parse(e.data);
      if (!paused) return apply(parts);
      waiting = { ...waiting, ...parts };
      document.documentElement.dataset.waiting = "true";
    });
  }
  follow();
  addEventListener("pagehide", () => { clearTimeout(retry); events.close(); });
  addEventListener("pageshow", (e) => { if (e.persisted) follow(); });
})();
