// The viewer of recorded games. It takes its data from the element viewer-data and builds itself in the element viewer:
// a list of games (gamelist.js) and the stage (stage.js) of the one that is shown (replay.js). The fragment of the
// address says what is shown: #game=RUN.GAME&ply=N, or #ply=N on the page of a single game, or
// #list&rules=…&player=…&against=…&result=…&reason=….
// A page that changes calls update with the games that were recorded.
import { $, copy, make, setAddress } from "./dom.js";
import { createGameList } from "./gamelist.js";
import { gridKeys } from "./matrix.js";
import { createPlayer, Replay } from "./replay.js";
import { createReview } from "./review.js";
import { createStage } from "./stage.js";

gridKeys();

// parameters are what the fragment of the address says.
const parameters = () => new URLSearchParams(location.hash.slice(1));

// usesKey reports whether the element that has the focus uses a key itself.
function usesKey(target, key) {
  if (target.closest("input, select, textarea, [contenteditable], .matrix")) return true;
  if (key === " " && target.closest("button, summary")) return true;
  const box = target.closest(".scroll, .games, pre");
  if (!box) return false;
  if (key.startsWith("Arrow")) return box.scrollWidth > box.clientWidth;
  return (key.length > 1 || key === " ") && box.scrollHeight > box.clientHeight;
}

// isHalfInView reports whether at least half of an element, or of the window, is in view.
function isHalfInView(e) {
  const r = e.getBoundingClientRect();
  const seen = Math.min(r.bottom, innerHeight) - Math.max(r.top, 0);
  return seen >= Math.min(r.height, innerHeight) / 2;
}

// createViewer builds the viewer of the games in data.
function createViewer(root, data) {
  const single = "single" in root.dataset ? data.games[0] : null; // the page is this game's
  const server = document.querySelector('.site a[href="/analyse"]'); // it has an analysis board, and pages of games
  const byID = new Map(data.games.map((g) => [g.id, g]));
  const numberOf = (id) => (data.runs.length > 1 ? id : id.split(".")[1]);
  const hashOf = (id, ply) => (single ? "#" : `#game=${id}&`) + `ply=${ply}`;
  let keeping = false; // the address stays as it is

  const replay = new Replay();
  const go = (ply) => change(() => replay.go(ply));
  const actions = {
    go,
    show,
    first: () => go(0),
    back: () => change(() => replay.back()),
    next: () => go(replay.ply + 1),
    last: () => go(replay.moves.length),
    doorBack: () => change(() => replay.doorBack()),
    doorNext: () => change(() => replay.doorNext()),
    toggle: () => togglePlayer(),
  };
  const list = createGameList(data, numberOf, hashOf);
  const stage = createStage(replay, actions, "turned" in root.dataset);
  const player = createPlayer(
    replay,
    (byPly) => (byPly ? actions.next() : actions.doorNext()),
    () => stage.showPlaying(player.isPlaying),
  );
  const review = createReview({
    root,
    below: stage.now,
    list: stage.moves,
    kinds: data.kinds,
    go,
    redraw: show,
    state: () => ({
      game: replay.game,
      positions: replay.positions,
      board: stage.board(),
      index: replay.index,
    }),
  });
  const absent = make("p", { role: "alert", class: "absent" });
  root.replaceChildren(absent, ...list.elements, stage.element);
  stage.showPlaying(false);
  const links = server && createLinks();
  if (links) stage.graph.before(links.element);

  // ---- the game that is shown

  function open(game) {
    if (!game || game === replay.game) return;
    player.pause();
    replay.open(game);
    review.open();
    stage.open(headingOf(game));
    list.markCurrent(game);
  }

  function headingOf(g) {
    const fault = g.fault ? ` (${g.fault})` : "";
    const end = `${g.result} by ${g.reason} after ply ${g.plies}${fault}`;
    const lines = [
      make("b", { class: "dot-n" }, "North: " + data.agents[g.north]),
      make("b", { class: "dot-s" }, "South: " + data.agents[g.south]),
      make("span", {}, `Game ${numberOf(g.id)}, ${data.rules[g.rules]}: ${end}`),
    ];
    if (g.note) lines.push(make("span", {}, "Note: " + g.note));
    return lines;
  }

  function show() {
    stage.show();
    links?.show();
    review.show();
    if (!keeping) setAddress(hashOf(replay.game.id, replay.ply) + review.address());
  }

  // change steps through the game, and shows where it is then.
  function change(step) {
    step();
    show();
  }

  function togglePlayer() {
    if (!player.isPlaying && replay.isAtEnd) go(0);
    player.toggle();
  }

  // Keys work wherever the focus is; those that would scroll the page only while the board is in view.
  const keys = {
    ArrowLeft: actions.back,
    ArrowRight: actions.next,
    Home: actions.first,
    End: actions.last,
    ",": actions.doorBack,
    ".": actions.doorNext,
    " ": actions.toggle,
  };
  document.addEventListener("keydown", (e) => {
    const act = keys[e.key];
    if (!act || !replay.game || e.defaultPrevented) return;
    const isDoor = e.key === "," || e.key === "."; // which need Shift on some keyboards
    if (e.altKey || e.ctrlKey || e.metaKey || (e.shiftKey && !isDoor)) return;
    if (usesKey(e.target, e.key)) return;
    if (!e.key.startsWith("Arrow") && !isHalfInView(stage.element)) return;
    e.preventDefault();
    if (e.key !== " ") player.pause();
    act();
  });

  // ---- links to other pages of a server

  // pageOf is the address of the page of a game of this run.
  function pageOf(id, ply) {
    const run = root.dataset.run?.split("/").map(encodeURIComponent).join("/");
    return `${location.origin}/game/${run}/${id.split(".")[1]}#ply=${ply}`;
  }

  // createLinks returns a line with links to the position on the analysis board, and to the page of the game.
  function createLinks() {
    const analyse = make("a", {}, "Analyse this position");
    const copied = make("span", { role: "status" });
    const share = () => {
      const address = pageOf(replay.game.id, replay.ply);
      copy(address, copied, address);
    };
    const link = make("button", { type: "button", onclick: share }, "Copy link");
    function showLinks() {
      const { game, ply } = replay;
      const position = { rules: data.rules[game.rules], position: game.opening };
      const q = new URLSearchParams({ ...position, moves: game.moves.join(" "), at: String(ply) });
      analyse.href = "/analyse#" + q;
    }
    return { element: make("p", { class: "controls small" }, analyse, link, copied), show: showLinks };
  }

  // ---- the address

  // read shows what the address says, and reports whether it says something.
  function read() {
    const q = parameters();
    const id = single ? single.id : q.get("game");
    if (byID.has(id)) {
      const to = q.get("ply");
      open(byID.get(id));
      go(to === "last" ? replay.moves.length : parseInt(to, 10) || 0);
      return true;
    }
    if (!location.hash.startsWith("#list")) return false;
    const games = list.choose(q);
    if (games.length) openFirst(games[0]);
    return true;
  }

  // openFirst shows a game while the address stays as it is.
  function openFirst(game) {
    keeping = true;
    open(game);
    go(0);
    keeping = false;
  }

  // noteAbsent says that this page doesn't have the game that the address names, or opens the game's own page.
  function noteAbsent() {
    const id = parameters().get("game");
    if (!id || byID.has(id)) {
      absent.textContent = "";
      return;
    }
    if (server && /^1\.\d+$/.test(id)) return location.replace(pageOf(id, parameters().get("ply") ?? 0));
    absent.textContent = `Game ${id.slice(0, 40)}, which the address names, is not among those of this page.`;
    absent.scrollIntoView({ behavior: "instant" });
  }

  // toView scrolls the page to the board unless all of it is in view, with as much of the list as there is room for,
  // and the list to the game that is shown.
  function toView() {
    if (single) return; // its board is on top
    const margin = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0;
    const room = innerHeight - margin;
    const isSeen = (e) => {
      const r = e.getBoundingClientRect();
      return r.top >= margin && r.bottom <= innerHeight;
    };
    if (!isSeen(stage.place) || !isSeen(stage.controls)) {
      const bottom = stage.controls.getBoundingClientRect().bottom;
      const fits = (top) => bottom - top.getBoundingClientRect().top <= room;
      const scroll = (e, block) => e.scrollIntoView({ behavior: "instant", block });
      if (!list.box.hidden && fits(list.box)) scroll(list.box, "start");
      else if (fits(stage.element)) scroll(stage.controls, "end");
      else scroll(stage.element, "start");
    }
    list.toCurrent(isSeen);
  }

  addEventListener("hashchange", () => {
    const { hash } = location;
    noteAbsent();
    if (!read()) return;
    if (hash.startsWith("#list")) return document.getElementById("games").scrollIntoView({ behavior: "instant" });
    toView();
    stage.place.focus({ preventScroll: true });
  });

  list.show();
  if (read()) toView();
  else if (data.games.length) openFirst(data.games[0]);
  noteAbsent();

  // ---- changes of the page

  // openLinked opens the game that the address names, if it wasn't there before.
  function openLinked() {
    const id = parameters().get("game");
    if (!byID.has(id) || id === replay.game?.id || !read()) return;
    noteAbsent();
    toView();
  }

  // update takes the lists of players and rule sets that links count by now, and further games, which name theirs:
  // {game, rules, south, north}.
  function update(agents, rules, games) {
    const names = () => JSON.stringify([data.agents, data.rules]);
    const before = names();
    list.renumber(agents, rules);
    const added = games.filter(({ game }) => !byID.has(game.id));
    for (const g of added) {
      list.add(g);
      byID.set(g.game.id, g.game);
    }
    if (names() === before && !added.length) return;
    list.redraw();
    openLinked();
    if (!replay.game && data.games.length) openFirst(data.games[0]);
  }

  return { update, toView };
}

const source = $("viewer-data");
export const viewer =
  $("viewer") && source ? createViewer($("viewer"), JSON.parse(source.textContent)) : { update() {}, toView() {} };
