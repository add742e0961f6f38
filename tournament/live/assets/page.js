"use strict";
// gygesPage is what the scripts of the pages have in common.
const gygesPage = (() => {
  const $ = (id) => document.getElementById(id);

  // make returns a new element; attributes that begin with "on" are listeners.
  function make(tag, attributes = {}, ...children) {
    const e = document.createElement(tag);
    for (const [k, v] of Object.entries(attributes)) k.startsWith("on") ? e.addEventListener(k.slice(2), v) : e.setAttribute(k, v);
    e.append(...children);
    return e;
  }

  // request returns the response of the server, or an error message, and the status; 0: there is none.
  async function request(path, body, signal) {
    try {
      const r = await fetch(path, body === undefined ? { signal } : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal });
      const answer = r.headers.get("Content-Type") === "application/json" ? await r.json() : { error: `the server responded with ${r.status}` };
      return r.ok ? [answer, null, r.status] : [null, answer.error || `the server responded with ${r.status}`, r.status];
    } catch (e) {
      return [null, e.name === "AbortError" ? "" : "the server can't be reached", 0];
    }
  }

  // sentence makes a sentence of a message.
  const sentence = (text) => (text ? text[0].toUpperCase() + text.slice(1) + "." : "");

  // keepFocus moves the focus to another element from a button that has just been disabled, or it would be lost.
  function keepFocus(to) { if (document.activeElement?.disabled) to.focus({ preventScroll: true }); }

  // patiently awaits a promise, and calls late if it takes long.
  async function patiently(promise, late) {
    const timer = setTimeout(late, 500);
    try { return await promise; } finally { clearTimeout(timer); }
  }

  // The link to the content leaves the address as it is: it names what is shown.
  document.querySelector(".skip").addEventListener("click", (e) => {
    e.preventDefault();
    $("main").tabIndex = -1;
    $("main").focus();
  });

  return { $, make, request, sentence, keepFocus, patiently };
})();
