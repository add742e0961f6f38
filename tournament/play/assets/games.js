// The games that came to the position shown, in the runs that the server knows.
import { $, focused, make, request } from "./dom.js";

// create returns the panel. These functions of page are called: query returns the position shown for a request, play
// makes a move from there, open sets up another position.
export function create(page) {
  let asked = 0,
    timer = 0;

  // restart asks for the games, in a moment: steps may follow each other fast.
  function restart() {
    clearTimeout(timer);
    asked++;
    if ($("games").open) timer = setTimeout(ask, 200);
  }

  async function ask() {
    const mine = ++asked,
      elo = $("min-elo").valueAsNumber;
    const [found, problem] = await request("/api/explore", { ...page.query(), min_elo: isNaN(elo) ? undefined : elo });
    if (mine !== asked) return;
    if (found?.indexing !== undefined) {
      $("games-note").textContent = `Reading the games ${found.indexing} …`;
      timer = setTimeout(ask, 1000);
      return;
    }
    const { games = 0, more = 0, moves = [] } = found ?? {};
    const count = `${games.toLocaleString("en")} ${games === 1 ? "game" : "games"}`;
    $("games-note").textContent = problem
      ? `No games: ${problem}.`
      : count + (more ? `; ${more} rarer moves are left out.` : ".");
    const had = $("games-moves").contains(focused());
    $("games-table").hidden = !moves.length;
    $("games-moves").replaceChildren(...moves.map(row));
    if (had) ($("games-moves").querySelector("button") || $("games").firstElementChild).focus({ preventScroll: true });
  }

  const percent = (share) => (100 * share).toFixed(1) + " %";

  // row is a line of the table: of a move, an opening, or "(ended)".
  function row(m) {
    const onclick = () => (m.move.includes(" ") ? page.open(m.move) : page.play(m.move));
    const link = (g, i) => make("a", { href: g.address, title: g.name, "aria-label": g.name }, String(i + 1));
    const cell = (first, second) => make("td", {}, first, make("br"), make("small", {}, second));
    return make(
      "tr",
      {},
      make("td", {}, m.move[0] === "(" ? m.move : make("button", { type: "button", class: "m", onclick }, m.move)),
      cell(m.games.toLocaleString("en"), `${m.won} / ${m.drawn} / ${m.lost}`),
      cell(percent(m.points), m.low === null ? "" : `${percent(m.low)} to ${percent(m.high)}`),
      make("td", {}, ...m.examples.flatMap((g, i) => [link(g, i), " "])),
    );
  }

  $("games").addEventListener("toggle", restart);
  $("min-elo").addEventListener("change", restart);
  return { restart };
}
