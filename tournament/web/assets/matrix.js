// Tables in which each player has a row and a column.

// gridKeys makes each matrix one stop of the tab key, with arrows inside.
export function gridKeys(within = document) {
  for (const table of within.querySelectorAll("table.matrix")) {
    const rows = /** @type {HTMLTableRowElement[]} */ ([...table.querySelectorAll("tbody tr")]);
    const focusable = (cell) => /** @type {any} */ (cell.querySelector("a, [tabindex]"));
    const cells = rows.map((tr) => [...tr.cells].map(focusable));
    const stops = cells.flat().filter(Boolean);
    stops.forEach((stop, i) => (stop.tabIndex = i ? -1 : 0));
    table.addEventListener("keydown", (e) => moveFocus(/** @type {KeyboardEvent} */ (e), cells));
  }
}

const directions = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

// moveFocus moves the focus by an arrow key from a cell to the next one that can have it.
function moveFocus(e, cells) {
  const direction = directions[e.key];
  let row = cells.findIndex((list) => list.includes(e.target));
  if (!direction || row < 0) return;
  e.preventDefault();
  let column = cells[row].indexOf(e.target);
  do {
    row += direction[0];
    column += direction[1];
    if (!cells[row] || column < 0 || column >= cells[row].length) return;
  } while (!cells[row][column]);
  const next = cells[row][column];
  e.target.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}
