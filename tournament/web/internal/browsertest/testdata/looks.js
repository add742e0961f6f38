(() => {
  // Measures a page as it is shown, and returns what is wrong with it: small, faint or overlapping text, what is
  // wider than the window, bars through which text shows, and width that isn't used.
  const problems = new Set();
  const short = (text) => JSON.stringify(text.trim().slice(0, 40));

  // colour returns red, green, blue and opacity of a CSS colour, as the browser paints it.
  const paint = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const colours = new Map();
  function colour(text) {
    if (!colours.has(text)) {
      paint.clearRect(0, 0, 1, 1);
      paint.fillStyle = text;
      paint.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = paint.getImageData(0, 0, 1, 1).data;
      colours.set(text, [r, g, b, a / 255]);
    }
    return colours.get(text);
  }
  const over = ([r, g, b, a], c) => [r, g, b].map((v, i) => v * a + c[i] * (1 - a));
  const luminance = (c) =>
    c.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
      .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const contrast = (a, b) => {
    const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
    return (x + 0.05) / (y + 0.05);
  };
  const withOpacity = (c, opacity) => [...c.slice(0, 3), c[3] * opacity];

  // behind returns the colour on which an element's text stands.
  function behind(e, box) {
    const list = [];
    for (let up = e; up; up = up.parentElement) list.unshift(getComputedStyle(up).backgroundColor);
    let c = list.reduce((below, text) => over(colour(text), below), [255, 255, 255]);
    const svg = e.closest("svg");
    for (const shape of svg?.querySelectorAll("rect, circle, path") ?? []) {
      if (!(shape.compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING)) continue;
      const style = getComputedStyle(shape);
      if (style.fill === "none" || style.visibility === "hidden") continue;
      const middle = new DOMPoint(box.x + box.width / 2, box.y + box.height / 2);
      if (!shape.isPointInFill(middle.matrixTransform(shape.getScreenCTM().inverse()))) continue;
      c = over(withOpacity(colour(style.fill), style.fillOpacity * style.opacity), c);
    }
    return c;
  }

  // clipped is the part of a box that the boxes around an element show.
  function clipped(e, box) {
    let { left, top, right, bottom } = box;
    for (let up = e; up; up = up.parentElement) {
      const style = getComputedStyle(up);
      if (style.clipPath !== "none" || style.opacity === "0") return null;
      if (style.overflowX === "visible" || up === document.body || up === document.documentElement) continue;
      const r = up.getBoundingClientRect();
      [left, top, right, bottom] = [
        Math.max(left, r.left), Math.max(top, r.top), Math.min(right, r.right), Math.min(bottom, r.bottom),
      ];
    }
    return right - left > 1 && bottom - top > 1 ? { left, top, right, bottom } : null;
  }
  const floats = (e) => {
    for (let up = e; up; up = up.parentElement) if (/sticky|fixed/.test(getComputedStyle(up).position)) return true;
    return false;
  };

  const boxes = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const e = node.parentElement;
    if (!node.data.trim() || e.closest("script, style, noscript, title, option, select, .sr, .skip")) continue;
    if (!e.checkVisibility({ visibilityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const rects = (e.closest("svg") ? [e.getBoundingClientRect()] : [...range.getClientRects()])
      .map((box) => [box, clipped(e, box)]).filter(([, seen]) => seen);
    if (!rects.length) continue;
    const style = getComputedStyle(e);
    const size = parseFloat(style.fontSize) * (e.closest("svg") ? e.getScreenCTM().a : 1);
    if (size < 10.95) problems.add(`${size.toFixed(1)} px: ${short(node.data)}`);
    const words = node.data.trim().split(/\s+/).length;
    if (words > 2 && !e.closest("pre") && rects.length >= words) problems.add(`one word a line: ${short(node.data)}`);
    if (!e.closest(":disabled")) {
      const below = behind(e, rects[0][0]), ink = colour(e.closest("svg") ? style.fill : style.color);
      const ratio = contrast(over(ink, below), below);
      const name = e.className.baseVal ?? e.className;
      if (ratio < 4.5) problems.add(`contrast ${ratio.toFixed(2)}: ${short(node.data)} of ${name}`);
    }
    if (!floats(e)) for (const [, seen] of rects) boxes.push({ node, text: node.data, ...seen });
  }

  // Letters take up less than three quarters of the height of their boxes.
  const overlap = (a, b, from, to) => Math.min(a[to], b[to]) - Math.max(a[from], b[from]);
  boxes.sort((a, b) => a.top - b.top);
  boxes.forEach((a, i) => {
    for (let j = i + 1; j < boxes.length && boxes[j].top < a.bottom; j++) {
      const b = boxes[j], apart = 0.28 * Math.min(a.bottom - a.top, b.bottom - b.top);
      if (a.node !== b.node && overlap(a, b, "left", "right") > 2 && overlap(a, b, "top", "bottom") > apart)
        problems.add(`${short(a.text)} overlaps ${short(b.text)}`);
    }
  });

  const page = document.documentElement;
  if (page.scrollWidth > innerWidth) problems.add(`the page is ${page.scrollWidth} px wide`);
  const paper = luminance(colour(getComputedStyle(document.body).backgroundColor).slice(0, 3));
  if (paper > 0.02 === matchMedia("(prefers-color-scheme: dark)").matches) problems.add(`the luminance of the page is ${paper}`);
  for (const f of document.querySelectorAll("figure")) {
    const drawn = [...f.querySelectorAll("svg")].filter((svg) => svg.getClientRects().length);
    if (drawn.length !== 1 || drawn[0].getBoundingClientRect().right > innerWidth) problems.add(`no picture of ${f.id} in view`);
  }
  for (const e of document.querySelectorAll("caption span, figure svg text")) {
    const { left, right } = e.getBoundingClientRect(), edge = (e.closest("svg") ?? page).getBoundingClientRect();
    if (left < edge.left - 1 || right > edge.right + 1) problems.add(`${short(e.textContent)} is cut`);
  }
  for (const notes of document.querySelectorAll(".remarks")) {
    const indent = notes.getBoundingClientRect().left - notes.parentElement.getBoundingClientRect().left;
    if (indent > 2) problems.add(`notes begin ${indent} px from the left of their table`);
  }
  for (const command of document.querySelectorAll("pre code"))
    if (getComputedStyle(command).whiteSpace !== "pre") problems.add(`${short(command.textContent)} breaks`);
  for (const bar of document.querySelectorAll("nav, nav ul"))
    if (bar.scrollWidth > bar.clientWidth + 1) problems.add(`${short(bar.textContent)} is wider than its bar`);
  for (const e of document.querySelectorAll("body *")) {
    const style = getComputedStyle(e);
    if (style.position === "sticky" && style.top !== "auto" && colour(style.backgroundColor)[3] < 1)
      problems.add(`text shows through ${e.tagName}`);
  }
  for (const e of document.querySelectorAll("caption, figcaption"))
    if (/[.;] \S/.test(e.textContent) || e.textContent.trim().length > 100)
      problems.add(`not a short sentence: ${e.textContent.trim()}`);
  if (innerWidth >= 1280) {
    const main = document.querySelector("main").getBoundingClientRect();
    if (main.width < 0.8 * innerWidth) problems.add(`the page uses ${main.width.toFixed()} px of ${innerWidth}`);
    for (const e of document.querySelectorAll(".scroll"))
      if (e.checkVisibility() && e.scrollWidth > e.clientWidth + 1 && e.clientWidth < main.width - 60)
        problems.add(`there is room for ${short(e.textContent)}`);
  }
  return [...problems];
})()
