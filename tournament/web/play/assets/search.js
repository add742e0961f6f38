// The analysis of the position shown: its best lines, while the server searches.
import { $, focused, keepReceiving, make, noAnswer, scoreText } from "./dom.js";

const ends = {
  time: "stopped after a minute",
  replaced: "stopped, as another page analyses; switch it on again",
  failed: "the search failed",
  done: "finished",
};
const shownMoves = 6; // of a line

// create returns the analysis. These functions of page are called: current returns the node shown; refusal says why it
// isn't analysed, null if it is; query returns the position of a node for a request; changed draws what else shows a
// node's lines; play makes moves from the node shown; announce reads a text out.
export function create(page) {
  let on = true,
    stopped = false,
    running = null,
    timer = 0;
  const progress = (text) => {
    if ($("progress").textContent !== text) $("progress").textContent = text;
  };

  // restart analyses the current node, in a moment: steps may follow each other fast.
  function restart() {
    stop();
    stopped = false;
    $("switch").setAttribute("aria-pressed", String(on));
    const refusal = on ? page.refusal() : "";
    if (refusal !== null) return progress(refusal);
    progress("…");
    timer = setTimeout(() => analyse(page.current()), 200);
  }

  function stop() {
    clearTimeout(timer);
    running?.abort();
    running = null;
  }

  async function analyse(node) {
    const mine = (running = new AbortController()),
      multi = $("multi").value;
    const events = {
      lines(lines) {
        progress("searching");
        if (node.multi !== multi || !node.lines || lines[0].depth >= node.lines[0].depth)
          Object.assign(node, { lines, multi });
        draw();
        page.changed(node);
      },
      end(why) {
        stop();
        stopped = why !== "done";
        report(ends[why]);
      },
    };
    progress("waiting for other searches");
    const q = new URLSearchParams({ ...page.query(node), multi }),
      act = (kind, value) => events[kind]?.(value);
    await keepReceiving(
      () => "/api/analyse?" + q,
      mine.signal,
      act,
      (is, problem) => {
        if (is) return progress("waiting for other searches");
        if (!problem || problem === noAnswer) return report("not connected");
        stop();
        stopped = true;
        report(problem);
      },
    );
  }

  function report(text) {
    progress(text);
    page.announce(`Analysis: ${text}.`);
  }

  // While the mouse is pressed the lines stay as they are, or a click would miss its move.
  let held = false;
  const release = () =>
    setTimeout(() => {
      if (!held) return;
      held = false;
      draw();
    });
  $("lines").addEventListener("pointerdown", () => (held = true));
  addEventListener("pointerup", release);
  addEventListener("pointercancel", release);

  function lineElement(line, i) {
    const kind = line.proven > 0 ? " wins" : line.proven < 0 ? " loses" : "";
    const moves = line.line.slice(0, shownMoves).map((text, j) => {
      const onclick = (e) => {
        if (e.detail < 2) page.play(line.line.slice(0, j + 1));
      };
      return make("button", { type: "button", class: "m", "data-at": `${i} ${j}`, onclick }, text);
    });
    return make(
      "li",
      {},
      make("span", { class: "score" + kind }, scoreText(line.score) || "–"),
      make("span", { class: "depth" }, `depth ${line.depth}`),
      make("span", { class: "moves-line" }, ...moves, line.line.length > shownMoves ? "…" : ""),
    );
  }

  function draw() {
    if (held) return;
    const lines = page.current().lines || [];
    const at = $("lines").contains(focused()) && focused().dataset.at;
    $("lines").replaceChildren(...lines.map(lineElement));
    const same = [...$("lines").querySelectorAll("button")].find((b) => b.dataset.at === at);
    if (at) (same ?? $("lines")).focus({ preventScroll: true });
    $("lines-note").hidden = !lines.length;
    if (lines.length) {
      const nodes = Math.max(...lines.map((l) => l.nodes)),
        seconds = Math.max(...lines.map((l) => l.seconds));
      $("lines-note").textContent =
        `${nodes.toLocaleString("en")} nodes in ${seconds.toFixed(1)} s. ` +
        "The scores are in points for the side to move; beside a move, for the side that made it.";
    }
    keepRoom();
  }

  // keepRoom keeps the height of the lines, so that what is below stays where it is.
  let room = 0; // pixels
  function keepRoom() {
    $("found").style.minHeight = "";
    room = Math.max(room, $("found").getBoundingClientRect().height);
    $("found").style.minHeight = room + "px";
  }
  function newRoom() {
    room = 0;
    $("found").style.setProperty("--lines", $("multi").value);
    keepRoom();
  }
  addEventListener("resize", newRoom);

  addEventListener("pagehide", stop);
  addEventListener("pageshow", (e) => {
    if (e.persisted) restart();
  });
  $("switch").addEventListener("click", () => {
    on = !on || stopped;
    restart();
  });
  $("multi").addEventListener("change", () => {
    page.current().lines = null;
    draw();
    newRoom();
    page.changed(page.current());
    restart();
  });

  return { restart, draw };
}
