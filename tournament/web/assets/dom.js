// What the scripts of all pages have in common.

/** @param {string} id @returns {any} */
export const $ = (id) => document.getElementById(id);

/** @param {string} selector @returns {any} */
export const find = (selector) => document.querySelector(selector);

// focused is the element that has the focus.
/** @returns {any} */
export const focused = () => document.activeElement;

// make returns a new element; attributes that begin with "on" are listeners.
/** @returns {any} */
export function make(/** @type {string} */ tag, attributes = {}, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(attributes)) {
    if (k.startsWith("on")) e.addEventListener(k.slice(2), v);
    else e.setAttribute(k, v);
  }
  e.append(...children);
  return e;
}

// el adds a new element of a drawing to another one, or to none, and returns it.
/** @returns {any} */
export function el(parent, /** @type {string} */ name, attributes = {}, text = undefined) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, String(v));
  if (text !== undefined) e.textContent = text;
  if (parent) parent.append(e);
  return e;
}

// mark sets or removes aria-current.
export function mark(/** @type {Element} */ e, /** @type {boolean} */ current) {
  if (current) e.setAttribute("aria-current", "true");
  else e.removeAttribute("aria-current");
}

// moveItem is a row of a list of moves: of the one after which n are made, with its ply and a value.
export function moveItem(n, north, ply, text, value, onclick) {
  const parts = { ["n " + (north ? "dot-n" : "dot-s")]: ply, m: text, v: value };
  const spans = Object.entries(parts).map(([k, v]) => make("span", { class: k }, v));
  return make("li", { onclick, "data-ply": n }, ...spans);
}

// sentence makes a sentence of a message.
export const sentence = (text) => (text ? text[0].toUpperCase() + text.slice(1) + "." : "");

// showProblem shows a message in an element, and announce reads a text out, on pages that have the elements.
export const showProblem = (text, id = "problem") => ($(id).textContent = sentence(text));
export const announce = (text) => ($("announcement").textContent = text);

// keepInView scrolls a box so that one of its children is in view; room is what is left free above and below it then.
export function keepInView(box, child, room = 0) {
  const top = child.offsetTop - (child.offsetParent === box ? 0 : box.offsetTop),
    bottom = top + child.offsetHeight;
  if (top < box.scrollTop) box.scrollTop = top - room;
  else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight + room;
}

// The element that has the focus, or had it until it was disabled or hidden: some browsers then take it away at once.
let focusedLast = null;
document.addEventListener("focusin", (e) => (focusedLast = e.target));
document.addEventListener("focusout", (e) => {
  if (!isGone(e.target)) focusedLast = null;
});

const isGone = (e) => e instanceof Element && (e.matches(":disabled") || !!e.closest("[hidden]"));

// keepFocus moves the focus to another element from one that has just been disabled or hidden, or it would be lost.
export function keepFocus(to) {
  if (isGone(focusedLast)) to.focus({ preventScroll: true });
}

// scoreText is a score, in hundredths of a point, as tables have it; "" for none. Those beyond 29000 are proven.
export function scoreText(score) {
  if (score === null || score === undefined) return "";
  if (score >= 29000) return `wins in ${30000 - score}`;
  if (score <= -29000) return `loses in ${30000 + score}`;
  return (score > 0 ? "+" : score < 0 ? "−" : "") + (Math.abs(score) / 100).toFixed(2);
}

// formatted is a value in a text of Go with one verb, like %d, %s or %.2f, and %% for a percent sign.
export function formatted(text, value) {
  return text.replace(/%(?:%|(?:\.(\d))?[a-z])/g, (verb, digits) => {
    if (verb === "%%") return "%";
    return digits ? value.toFixed(Number(digits)) : String(value);
  });
}

// The fragment that the address is to have, the one that it had then, and the time until the next change.
let fragment = null,
  before = "",
  pause = 0;

// flush changes the address now. A browser that refuses, as some do after a hundred changes in ten seconds, is
// asked again later; an address that a link has changed stays.
export function flush(push = false) {
  if (fragment !== null && location.hash === before) {
    try {
      history[push ? "pushState" : "replaceState"](null, "", fragment);
    } catch {
      return;
    }
  }
  fragment = null;
}

// setAddress puts a fragment into the address, after at most 200 ms; push adds an entry to the history at once.
export function setAddress(text, push = false) {
  if (push) flush();
  [fragment, before] = [text === location.hash ? null : text, location.hash];
  if (push || !pause) flush(push);
  const next = () => {
    flush();
    pause = fragment === null ? 0 : setTimeout(next, 200);
  };
  pause ||= setTimeout(next, 200);
}
addEventListener("pagehide", () => flush());

export const noAnswer = "not connected: the server doesn't answer";

// Only this server's pages can send the header.
const headers = { "Gyges-Page": "1", "Content-Type": "application/json" };
const options = (body, signal) =>
  body === undefined ? { headers, signal } : { method: "POST", headers, body: JSON.stringify(body), signal };

// A connection is lost if nothing comes for so long, in milliseconds: the server sends something every 20 s. Tests
// shorten it.
const longestSilence = () => 1000 * Math.max(1, Math.min(45, +document.documentElement.dataset.silence || 45));

// watch returns the signal of a request, which is aborted by another signal, or if nothing is heard for so many times the
// longest silence. That is checked at once when the page is seen again, since a hidden page's timers may stand.
function watch(signal, times = 1) {
  const control = new AbortController();
  let last = Date.now();
  const abort = () => control.abort();
  const check = () => {
    if (Date.now() - last > times * longestSilence()) abort();
  };
  const timer = setInterval(check, 500);
  document.addEventListener("visibilitychange", check);
  signal?.addEventListener("abort", abort);
  if (signal?.aborted) abort();
  return {
    signal: control.signal,
    heard: () => (last = Date.now()),
    end() {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", check);
      signal?.removeEventListener("abort", abort);
    },
  };
}

// sleep waits for some milliseconds, or until the page is seen again or hidden.
export const sleep = (ms) =>
  new Promise((done) => {
    const woken = new AbortController();
    const wake = () => {
      woken.abort(); // nothing listens any more
      done();
    };
    setTimeout(wake, ms);
    document.addEventListener("visibilitychange", wake, { signal: woken.signal });
  });

// isFromProxy reports whether a proxy has answered, for a server that it doesn't reach.
const isFromProxy = (response) => response.status === 502 || response.status === 504;

// errorOf is the message of a response that has failed.
async function errorOf(response) {
  const isJSON = response.headers.get("Content-Type") === "application/json";
  return (isJSON && (await response.json()).error) || `the server responded with ${response.status}`;
}

// request returns the response of the server, or an error message, and the status; 0: there is none. One that waits for
// a search may take more than once the longest silence.
export async function request(path, body = undefined, signal = undefined, times = 1) {
  const line = watch(signal, times);
  try {
    const r = await fetch(path, options(body, line.signal));
    if (isFromProxy(r)) return [null, noAnswer, 0];
    return r.ok ? [await r.json(), null, r.status] : [null, await errorOf(r), r.status];
  } catch {
    return [null, signal?.aborted ? "" : noAnswer, 0];
  } finally {
    line.end();
  }
}

// receive passes server-sent events to act, with their kinds and values; opened is called before the first. It returns
// why there are no more; "": the server has ended them, or they were aborted.
export async function receive(path, body, signal, act, opened = () => {}) {
  const line = watch(signal);
  try {
    const r = await fetch(path, options(body, line.signal));
    if (isFromProxy(r)) return noAnswer;
    if (!r.ok) return await errorOf(r);
    opened();
    const reader = r.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ""; ; ) {
      const { value, done } = await reader.read();
      line.heard();
      if (done) return "";
      const events = (rest + value).split("\n\n");
      rest = events.pop();
      for (const text of events) {
        const event = /^event: (\w+)\ndata: (.*)$/.exec(text);
        if (event && !signal.aborted) act(event[1], JSON.parse(event[2]));
      }
    }
  } catch {
    return signal.aborted ? "" : noAnswer;
  } finally {
    line.end();
  }
}

// keepReceiving receives events until it is aborted: a connection that is lost or refused is tried again, after twice the time
// each time. address returns where; connected is called with true when the events begin, and with false and the reason
// when there are no more.
export async function keepReceiving(address, signal, act, connected) {
  const shortest = 2000,
    longest = 60000; // milliseconds
  for (let delay = shortest; !signal.aborted; delay = Math.min(2 * delay, longest)) {
    const problem = await receive(address(), undefined, signal, act, () => {
      delay = shortest / 2;
      connected(true);
    });
    if (signal.aborted) return;
    connected(false, problem);
    await sleep(delay * (0.75 + Math.random() / 2)); // not all pages at once
  }
}

// copy puts a text into the clipboard, and says so in an element for a while; otherwise is what to do where only the
// pages of this machine or by TLS may.
export async function copy(text, out, otherwise) {
  const done = await navigator.clipboard?.writeText(text).then(
    () => "copied",
    () => "",
  );
  out.textContent = done || otherwise;
  setTimeout(() => (out.textContent = ""), 4000);
}

// stored is a text that the browser keeps, and store keeps one; where it has no storage, there is none.
export function stored(key) {
  try {
    return localStorage.getItem(key) || "";
  } catch {
    return "";
  }
}
export function store(key, text) {
  try {
    localStorage.setItem(key, text);
  } catch {
    /* it holds for this visit */
  }
}

// patiently awaits a promise, and calls late if it takes long.
export async function patiently(promise, late) {
  const timer = setTimeout(late, 500);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}

// lineGraph draws lines over the plies of a game: ticks are values with their texts, the last one the highest; lines
// have a class and points [ply, value], dots a ply, a value and a class. A click calls go with its ply. It returns
// the element, and a function that marks a ply.
export function lineGraph({ label, caption, height, left, ticks, plies, lines, dots, radius, go }) {
  const width = 420,
    right = 8,
    top = 8,
    foot = 17;
  const low = ticks[0][0],
    high = ticks[ticks.length - 1][0],
    middle = (low + high) / 2;
  const x = (ply) => left + (ply / Math.max(plies, 1)) * (width - left - right);
  const y = (v) => top + ((high - v) / (high - low)) * (height - top - foot);
  const element = el(null, "svg", {
    class: "graph",
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": label,
  });
  for (const [v, text] of ticks) {
    el(element, "line", { class: v === middle ? "zero" : "grid", x1: left, x2: width - right, y1: y(v), y2: y(v) });
    el(element, "text", { x: left - 5, y: y(v) + 4, "text-anchor": "end" }, text);
  }
  el(element, "text", { x: width - right, y: height - 4, "text-anchor": "end" }, caption);
  for (const [kind, points] of lines) {
    const path = points.map(([ply, v]) => `${x(ply).toFixed(1)} ${y(v).toFixed(1)}`);
    if (path.length) el(element, "path", { class: kind, d: "M" + path.join("L") });
  }
  for (const [ply, v, kind] of dots) el(element, "circle", { class: kind, cx: x(ply), cy: y(v), r: radius });
  const cursor = el(element, "line", { class: "cursor", y1: top - 4, y2: height - foot + 2, visibility: "hidden" });
  element.addEventListener("click", (e) => {
    const box = element.getBoundingClientRect();
    go(Math.round(((((e.clientX - box.left) / box.width) * width - left) / (width - left - right)) * plies));
  });
  const moveTo = (ply) => {
    for (const k of ["x1", "x2"]) cursor.setAttribute(k, String(x(ply)));
    cursor.setAttribute("visibility", "visible");
  };
  return { element, moveTo };
}

// The link to the content leaves the address as it is: it names what is shown.
document.querySelector(".skip")?.addEventListener("click", (e) => {
  e.preventDefault();
  $("main").tabIndex = -1;
  $("main").focus();
});
