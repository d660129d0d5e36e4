// The page: what is typed and dragged, and what is shown of it.

import * as drawing from "./drawing.js";
import * as editor from "./editor.js";
import * as engine from "./engine.js";
import * as flow from "./flow.js";
import { element, number, short, svg } from "./format.js";
import * as inputs from "./inputs.js";

const at = (id) => document.getElementById(id);
const VIEWS = ["run", "code", "report", "graph", "flow"];

// A position that nobody chose: all values are there, and nothing has gone back.
const UNTOUCHED = -1;

// All that a link carries.
const state = {
  source: "", function: "", inputs: [], position: UNTOUCHED, view: "run", learn: null, rate: 1,
  flow: { activation: "sigmoid", depth: 10, weight: 1, input: 0.5 },
};
let presets = [], compiled = { problems: [], functions: [] }, run = null, losses = [], playing = null;

// ---- Requests: of each kind the last one counts.

const newest = {};
async function latest(kind, request) {
  const mine = (newest[kind] = (newest[kind] ?? 0) + 1);
  const answer = await engine.ask(request);
  return mine === newest[kind] ? answer : null;
}

// ---- The link.

function remember() {
  const bytes = new TextEncoder().encode(JSON.stringify(state));
  const text = btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join(""));
  history.replaceState(null, "", `#${text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`);
}
let remembering = null;
function rememberSoon() {
  clearTimeout(remembering);
  remembering = setTimeout(remember, 200);
}

// What a link says, as far as it makes sense.
function recalled() {
  try {
    const text = atob(location.hash.slice(1).replaceAll("-", "+").replaceAll("_", "/"));
    const given = JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (c) => c.charCodeAt(0))));
    if (typeof given?.source !== "string") return false;
    state.source = given.source;
    state.function = String(given.function ?? "");
    state.inputs = Array.isArray(given.inputs) ? given.inputs : [];
    state.position = Math.max(UNTOUCHED, Math.trunc(Number(given.position)) || 0);
    state.view = VIEWS.includes(given.view) ? given.view : "run";
    state.learn = Array.isArray(given.learn) ? given.learn.map(String) : null;
    state.rate = Number(given.rate) || 1;
    for (const key of ["depth", "weight", "input"]) if (Number.isFinite(given.flow?.[key])) state.flow[key] = given.flow[key];
    if (["sigmoid", "tanh", "relu"].includes(given.flow?.activation)) state.flow.activation = given.flow.activation;
    return true;
  } catch {
    return false;
  }
}

// ---- The source.

async function compile() {
  const started = performance.now();
  const answer = await latest("compile", { do: "compile", source: state.source });
  if (!answer) return;
  const took = Math.round(performance.now() - started);
  compiled = answer.failed ? { problems: [], functions: [] } : answer;
  const { problems, functions } = compiled;
  at("status").textContent = answer.failed ?? (problems.length
    ? `${problems.length === 1 ? "One problem" : `${problems.length} problems`}, ${took} ms`
    : `Differentiated${answer.bare ? ` as ${answer.bare}` : ""} in ${took} ms`);
  at("status").classList.toggle("bad", Boolean(answer.failed || problems.length));
  editor.paint(at("layer"), state.source, problems);
  at("problems").replaceChildren(...problems.map((problem) => {
    const jump = element("button", { onclick: () => { at("code").focus(); at("code").setSelectionRange(problem.start, problem.end); } }, `line ${problem.line}`);
    const parts = [element("pre", {}, problem.rendered)];
    if (problem.explained) parts.push(element("details", {}, element("summary", {}, "What to write instead"), element("pre", {}, problem.explained)));
    return element("div", { class: "problem" }, jump, " ", problem.message, ...parts);
  }));
  const names = functions.map((f) => f.name);
  if (!names.includes(state.function)) state.function = names.at(-1) ?? "";
  at("function").replaceChildren(...names.map((name) => element("option", { selected: name === state.function }, name)));
  at("function-bar").hidden = names.length < 2;
  chosen();
}

const current = () => compiled.functions.find((f) => f.name === state.function);

// A function is looked at.
function chosen() {
  const f = current();
  const why = f?.why ?? (f ? null : "There is no function that can run.");
  at("why").hidden = !why;
  at("why").textContent = why ?? "";
  const parameters = f?.parameters ?? [];
  const good = state.inputs.length === parameters.length && parameters.every((p, k) => inputs.fits(p, state.inputs[k]));
  if (f && !why && !good) state.inputs = parameters.map(inputs.start);
  inputs.fields(at("inputs"), why ? [] : parameters, state.inputs, execute);
  look();
  learner();
  execute();
}

// What is said of a function apart from its runs, where it is looked at.
function look() {
  const f = current();
  if (state.view === "code") listings(f);
  if (state.view === "report") at("report").textContent = f?.report || "There is nothing to report.";
  if (state.view === "graph") {
    at("graph").replaceChildren(...(f?.graph ?? []).map((text) =>
      element("img", { alt: `The static graph of ${f.name}`, src: `data:image/svg+xml,${encodeURIComponent(text)}` })));
  }
}

// ---- The simulator.

async function execute() {
  rememberSoon();
  const f = current();
  if (!f || f.why) {
    run = null;
    return show();
  }
  const answer = await latest("run", { do: "run", source: state.source, function: f.name, inputs: state.inputs });
  if (!answer) return;
  at("why").hidden = !answer.failed;
  at("why").textContent = answer.failed ?? "";
  run = answer.failed ? null : answer;
  at("table").dataset.of = f.name;
  show();
}

function show() {
  for (const id of ["back", "play", "step", "forward", "backward", "position"]) at(id).disabled = !run;
  if (!run) {
    pause();
    at("drawing").replaceChildren();
    at("table").replaceChildren();
    at("said").textContent = at("phase").textContent = "";
    return;
  }
  const { steps } = drawing.stateAt(run, 0);
  const position = placed();
  const now = drawing.stateAt(run, position);
  at("position").max = steps;
  at("position").value = position;
  at("position").setAttribute("aria-valuetext", `${position} of ${steps}, ${now.isBack ? "backward" : "forward"}`);
  at("phase").textContent = `${now.isBack ? "backward" : "forward"}, ${position} of ${steps}`;
  at("phase").className = now.isBack ? "adjoint" : "value";
  at("said").textContent = drawing.said(run, now, position);
  drawing.draw(at("drawing"), run, now);
  drawing.table(at("table"), run, now);
  follow(now);
  if (state.learn) at("loss").textContent = `loss ${short(run.value)}`;
}

// The active node is in sight, and its operands if there is room.
function follow(now) {
  if (now.active == null || !run.layout || state.position === UNTOUCHED) return;
  const box = at("drawing");
  const near = drawing.surroundings(run, now.active, true);
  const alone = drawing.surroundings(run, now.active, false);
  for (const [low, high, scroll, size] of [["left", "right", "scrollLeft", "clientWidth"], ["top", "bottom", "scrollTop", "clientHeight"]]) {
    const { [low]: from, [high]: to } = near[high] - near[low] <= box[size] ? near : alone;
    if (from < box[scroll]) box[scroll] = from;
    else if (to > box[scroll] + box[size]) box[scroll] = to - box[size];
  }
}

// The position in the run that there is now.
function placed() {
  const { forward, steps } = drawing.stateAt(run, 0);
  return state.position === UNTOUCHED ? forward : Math.min(state.position, steps);
}

function go(position) {
  if (!run) return;
  state.position = Math.max(0, Math.min(position, drawing.stateAt(run, 0).steps));
  show();
  rememberSoon();
}

function pause() {
  clearInterval(playing);
  playing = null;
  at("play").textContent = "play";
  at("play").setAttribute("aria-pressed", "false");
}

function play() {
  if (playing) return pause();
  const { steps } = drawing.stateAt(run, 0);
  if (state.position === UNTOUCHED || placed() >= steps) go(0);
  at("play").textContent = "pause";
  at("play").setAttribute("aria-pressed", "true");
  const pace = Math.max(60, Math.min(700, 12000 / steps));
  playing = setInterval(() => {
    if (!run || placed() >= drawing.stateAt(run, 0).steps) return pause();
    go(placed() + 1);
  }, pace);
}

// ---- Gradient descent.

function learner() {
  const names = (current()?.parameters ?? []).map((p) => p.name);
  const can = state.learn?.length > 0 && state.learn.every((name) => names.includes(name));
  if (!can) state.learn = null;
  at("learn").hidden = !can;
  at("rate").value = state.rate;
}

async function descend(times) {
  pause();
  for (let k = 0; k < times && run; k++) {
    if (losses.length === 0) losses.push(number(run.value));
    let part = 0;
    current().parameters.forEach((p, j) => {
      if (!p.differentiable) return;
      const slope = number(run.gradient[part++]);
      if (state.learn.includes(p.name)) state.inputs[j] -= state.rate * slope;
    });
    await execute();
    if (run) losses.push(number(run.value));
  }
  inputs.fields(at("inputs"), current().parameters, state.inputs, execute);
  drawLosses();
}

function drawLosses() {
  const top = Math.max(...losses, 1e-12);
  const points = losses.map((l, k) => `${(400 * k) / Math.max(1, losses.length - 1)},${85 - (80 * l) / top}`);
  at("losses").replaceChildren(svg("polyline", { points: points.join(" ") }));
  at("losses").setAttribute("aria-label", losses.length ? `The loss fell from ${short(losses[0])} to ${short(losses.at(-1))} in ${losses.length - 1} steps` : "No steps yet");
}

// ---- Generated code, side by side.

function listings(f) {
  const source = state.source.replace(/\n$/, "").split("\n");
  list("source", source, source.map((_, k) => [k + 1]));
  for (const mode of ["forward", "reverse"]) {
    const text = f?.[mode].text.replace(/\n$/, "") ?? "";
    list(mode, text.split("\n"), f?.[mode].lines ?? []);
  }
}

function list(name, lines, sources) {
  const where = at(`list-${name}`);
  where.removeAttribute("aria-activedescendant");
  where.replaceChildren(...lines.map((text, k) => {
    const from = sources[k] ?? [];
    const pieces = editor.coloured(text).map(([piece, kind]) => element("span", { class: kind }, piece));
    return element("div", { role: "option", id: `${name}-${k}`, "aria-selected": "false", "data-lines": from.join(" "), onmouseenter: (event) => light(event.currentTarget) },
      element("i", { "aria-hidden": "true" }, name === "source" ? String(k + 1) : ranges(from)), ...(pieces.length ? pieces : [" "]));
  }));
}

// Lines in few letters: 4,6–8.
function ranges(lines) {
  const runs = [];
  for (const line of lines) {
    if (runs.at(-1)?.end === line - 1) runs.at(-1).end = line;
    else runs.push({ start: line, end: line });
  }
  return runs.map(({ start, end }) => (end > start + 1 ? `${start}–${end}` : end > start ? `${start},${end}` : start)).join(",");
}

const linesOf = (row) => row.dataset.lines.split(" ").filter(Boolean);

function light(row) {
  const wanted = new Set(linesOf(row));
  for (const other of document.querySelectorAll(".listing [role=option]")) {
    const on = other === row || linesOf(other).some((line) => wanted.has(line));
    other.classList.toggle("related", on && wanted.size > 0);
    other.setAttribute("aria-selected", String(other === row));
  }
  row.parentElement.setAttribute("aria-activedescendant", row.id);
}

function walk(event) {
  const rows = [...event.currentTarget.children];
  const now = rows.findIndex((row) => row.getAttribute("aria-selected") === "true");
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || rows.length === 0) return;
  event.preventDefault();
  const next = rows[Math.max(0, Math.min(rows.length - 1, now + step))];
  light(next);
  next.scrollIntoView({ block: "nearest" });
}

// ---- Gradient flow.

async function flows() {
  rememberSoon();
  const { activation, depth, weight, input } = state.flow;
  for (const key of ["depth", "weight", "input"]) {
    at(`flow-${key}`).value = state.flow[key];
    at(`flow-${key}-out`).textContent = short(state.flow[key]);
  }
  at("flow-activation").value = activation;
  const answer = await latest("flow", { do: "run", source: flow.chain(activation, depth), function: "chain", inputs: [input, weight] });
  if (!answer) return;
  if (answer.failed) {
    at("flow-said").textContent = answer.failed;
    return;
  }
  flow.show({ formula: at("flow-formula"), said: at("flow-said"), bars: at("flow-bars") }, answer, state.flow);
}

// ---- Views.

function view(name) {
  state.view = name;
  for (const other of VIEWS) {
    at(`view-${other}`).hidden = other !== name;
    at(`tab-${other}`).setAttribute("aria-selected", String(other === name));
    at(`tab-${other}`).tabIndex = other === name ? 0 : -1;
  }
  document.body.dataset.view = name;
  look();
  if (name === "flow") flows();
  else if (run) show();
  rememberSoon();
}

function take(preset) {
  Object.assign(state, {
    source: preset.source, function: preset.function, inputs: structuredClone(preset.inputs),
    position: UNTOUCHED, learn: preset.learn ?? null, rate: preset.rate ?? 1,
  });
  losses = [];
  drawLosses();
  pause();
  at("code").value = state.source;
  editor.paint(at("layer"), state.source, []);
  return compile();
}

function listen() {
  const code = at("code");
  let waiting = null;
  code.addEventListener("input", () => {
    state.source = code.value;
    at("preset").value = "";
    losses = [];
    drawLosses();
    editor.paint(at("layer"), state.source, []);
    clearTimeout(waiting);
    waiting = setTimeout(compile, 80);
  });
  code.addEventListener("scroll", () => {
    at("layer").scrollTop = code.scrollTop;
    at("layer").scrollLeft = code.scrollLeft;
  });
  at("preset").addEventListener("change", (event) => {
    const preset = presets.find((p) => p.name === event.target.value);
    if (!preset) return;
    take(preset);
    if (state.view === "flow") view("run");
  });
  at("function").addEventListener("change", (event) => {
    state.function = event.target.value;
    chosen();
  });
  at("step").addEventListener("click", () => { pause(); if (run) go(placed() + 1); });
  at("back").addEventListener("click", () => { pause(); if (run) go(placed() - 1); });
  at("play").addEventListener("click", play);
  at("forward").addEventListener("click", () => { pause(); if (run) go(drawing.stateAt(run, 0).forward); });
  at("backward").addEventListener("click", () => { pause(); if (run) go(drawing.stateAt(run, 0).steps); });
  at("position").addEventListener("input", (event) => { pause(); go(Number(event.target.value)); });
  at("rate").addEventListener("input", (event) => { if (event.target.valueAsNumber >= 0) state.rate = event.target.valueAsNumber; });
  at("descend").addEventListener("click", () => descend(1));
  at("descend10").addEventListener("click", () => descend(10));
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("textarea, input, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === ".") at("step").click();
    if (event.key === ",") at("back").click();
  });
  for (const name of VIEWS) at(`tab-${name}`).addEventListener("click", () => view(name));
  document.querySelector("[role=tablist]").addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = VIEWS[(VIEWS.indexOf(state.view) + step + VIEWS.length) % VIEWS.length];
    view(next);
    at(`tab-${next}`).focus();
  });
  for (const name of ["source", "forward", "reverse"]) at(`list-${name}`).addEventListener("keydown", walk);
  at("flow-activation").addEventListener("change", (event) => { state.flow.activation = event.target.value; flows(); });
  for (const key of ["depth", "weight", "input"]) {
    at(`flow-${key}`).addEventListener("input", (event) => { state.flow[key] = Number(event.target.value); flows(); });
  }
  addEventListener("hashchange", open);
  addEventListener("resize", () => { if (run) show(); });
}

// What the link says, or the first example.
async function open() {
  if (recalled()) {
    at("code").value = state.source;
    at("preset").value = presets.find((p) => p.source === state.source)?.name ?? "";
    await compile();
  } else {
    at("preset").value = presets[0].name;
    await take(presets[0]);
  }
  view(state.view);
}

presets = await (await fetch("presets.json")).json();
at("preset").replaceChildren(element("option", { value: "" }, "your own"), ...presets.map((p) => element("option", { value: p.name }, p.title)));
listen();
document.body.dataset.engine = await engine.start();
await open();
document.body.dataset.ready = "true";
