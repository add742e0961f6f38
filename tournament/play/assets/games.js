// The games that came to the position shown, in the runs that the server knows.
import { $, focused, make, request } from "./dom.js";

// create returns the panel. These functions of page are called: query returns the position shown for a request, play
// makes a move from there, open sets up another position.
export function create(page) {
  let asked = new AbortController(),
    timer = 0;

  // restart asks for the games, in a moment: steps may follow each other fast.
  function restart() {
    clearTimeout(timer);
    asked.abort();
    if ($("games").open) timer = setTimeout(ask, 200);
  }

  async function ask() {
    const { signal } = (asked = new AbortController());
    timer = setTimeout(() => ($("games-note").textContent = "Reading the games …"), 500);
    const [found, problem] = await request("/api/explore", page.query(), signal, 4);
    if (signal.aborted) return;
    clearTimeout(timer);
    const { games = 0, more = 0, moves = [], notes = [] } = found ?? {};
    const parts = [`${games.toLocaleString("en")} ${games === 1 ? "game" : "games"}`, ...notes];
    if (more) parts.push(`${more} rarer moves are left out`);
    $("games-note").textContent = problem ? `No games: ${problem}.` : parts.join("; ") + ".";
    const had = $("games-moves").contains(focused());
    $("games-table").hidden = !moves.length;
    $("games-moves").replaceChildren(...moves.map(row));
    if (had) ($("games-moves").querySelector("button") || $("games").firstElementChild).focus({ preventScroll: true });
  }

  // row is a line of the table: of a move, or an opening.
  function row(m) {
    const onclick = () => (m.move.includes(" ") ? page.open(m.move) : page.play(m.move)),
      name = `${m.run} ${m.game}`,
      href = `/game/${m.run.split("/").map(encodeURIComponent).join("/")}/${m.game}#ply=${m.ply}`;
    const cell = (...content) => make("td", {}, ...content);
    return make(
      "tr",
      {},
      cell(make("button", { type: "button", class: "m", onclick }, m.move)),
      cell(m.games.toLocaleString("en"), make("br"), make("small", {}, `${m.won} / ${m.drawn} / ${m.lost}`)),
      cell((100 * m.points).toFixed(1) + " %"),
      cell(make("a", { href, title: name, "aria-label": name }, String(m.game))),
    );
  }

  $("games").addEventListener("toggle", restart);
  return { restart };
}
