// The form of a tournament, and what the page of a run offers to change.
import { $, find, make, request, sentence } from "./dom.js";

const quoted = (value) => (/[',]/.test(value) ? `'${value.replaceAll("'", "''")}'` : value);

// agentText is the spec of the agent that is chosen, with the parameters given.
function agentText() {
  const params = [...$("form").querySelectorAll("[data-kind]:not([hidden]) [data-param]")]
    .map((i) => [i.dataset.param, i.value.trim()])
    .filter(([, value]) => value)
    .map(([name, value]) => (name.endsWith(".") ? name + value : `${name}=${quoted(value)}`));
  return $("agent").value + (params.length ? ":" + params.join(",") : "");
}

function beginForm() {
  const form = $("form"),
    inputs = [...form.elements].filter((e) => e.name);
  let asked = 0,
    timer = 0;

  // ask sends the form, and shows the answer to a check, or a line for each mistake, which begins with its setting.
  async function ask(what) {
    clearTimeout(timer);
    const mine = ++asked;
    const texts = Object.fromEntries(inputs.map((e) => [e.name, e.value]));
    const [answer, problem] = await request("/api/manage/" + what, texts);
    if (mine !== asked) return;
    if (answer?.id) return location.assign("/run/" + answer.id);
    const lines = (problem || "").split("\n").filter(Boolean);
    $("yaml").textContent = answer?.yaml || "";
    $("games").textContent = answer ? `${answer.games.toLocaleString("en")} games at most` : "";
    $("problems").replaceChildren(...lines.map((line) => make("li", {}, line)));
    for (const e of inputs)
      e.setAttribute("aria-invalid", String(lines.some((line) => /^[\w.]+/.exec(line)?.[0] === e.name)));
  }
  const showParameters = () => {
    for (const box of form.querySelectorAll("[data-kind]")) box.hidden = box.dataset.kind !== $("agent").value;
  };
  form.addEventListener("input", (e) => {
    showParameters();
    clearTimeout(timer);
    if (e.target.name) timer = setTimeout(ask, 300, "check");
  });
  form.addEventListener("click", ({ target: { dataset } }) => {
    if (!dataset.add) return;
    const list = $(dataset.add);
    list.value = list.value.trim() + "\n" + (list.id === "agents" ? agentText() : $("preset").value);
    ask("check");
  });
  form.addEventListener("submit", (e) => {
    e.preventDefault();
    ask("begin");
  });
  showParameters();
}

function beginRun() {
  const { id, address } = $("manage").dataset;
  let status = "";
  async function refresh() {
    const [run] = await request("/api/manage/run/" + address);
    $("stop").hidden = !run?.playing;
    $("settings").hidden = !run?.yaml;
    $("yaml").textContent = run?.yaml || "";
    $("command").textContent = run?.command || "";
  }
  async function act(what, to, then) {
    const [answer, problem] = await request("/api/manage/" + what, { id, to });
    $("manage-problem").textContent = sentence(problem);
    if (answer) then(answer);
  }
  $("stop").addEventListener("click", () => act("stop", undefined, refresh));
  $("rename").addEventListener("submit", (e) => {
    e.preventDefault();
    act("rename", $("to").value.trim(), (run) => location.assign("/run/" + run.to));
  });
  $("remove").addEventListener("click", () =>
    act("remove", undefined, ({ to }) => {
      $("manage").replaceChildren(`It is in ${to} now. `, make("a", { href: "/" }, "All runs"));
      find("#manage a").focus();
    }),
  );
  new MutationObserver(() => {
    if (status !== (status = find("[data-badge]").textContent)) refresh();
  }).observe(find("[data-badge]"), { childList: true });
  refresh();
}

if ($("form")) beginForm();
else beginRun();
