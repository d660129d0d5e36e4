// A run as a picture: values in the order in which they appear, adjoints as they flow back.

import { element, number, short, svg } from "./format.js";

const WIDTH = 132, HEIGHT = 62, GAP_X = 120, GAP_Y = 22, LARGEST = 160;

// What a run looks like at a position: the first positions compute, the others go back.
export function stateAt(run, position) {
  const { nodes, result } = run;
  const inputs = nodes.filter((node) => node.op === "parameter").length;
  const forward = nodes.length - inputs;
  const order = backwards(run);
  const known = inputs + Math.min(position, forward);
  const back = Math.max(0, position - forward);
  // Users of each node, in the order in which they are gone through.
  const contributions = nodes.map(() => []);
  const missing = nodes.map(() => 0);
  order.forEach((k, step) => {
    for (const operand of nodes[k].operands) {
      if (operand.node == null) continue;
      if (step < back) {
        const [d, p] = [number(nodes[k].adjoint), number(operand.partial)];
        contributions[operand.node].push({ from: k, adjoint: d, partial: p, product: d === 0 || p === 0 ? 0 : d * p });
      } else missing[operand.node] += 1;
    }
  });
  const adjoints = nodes.map((node, k) => {
    if (position <= forward) return null;
    if (k === result || missing[k] === 0) return number(node.adjoint);
    const all = contributions[k];
    return all.length ? all.reduce((sum, c) => sum + c.product, 0) : null;
  });
  const active = position === 0 ? null : position <= forward ? inputs + position - 1 : order[back - 1] ?? null;
  return { forward, back, steps: forward + order.length, known, contributions, missing, adjoints, active, isBack: position > forward };
}

// Operations that the result depends on, the last first.
function backwards({ nodes, result }) {
  const needed = new Set(result == null ? [] : [result]);
  const order = [];
  for (let k = nodes.length - 1; k >= 0; k--) {
    if (!needed.has(k)) continue;
    for (const { node } of nodes[k].operands) if (node != null) needed.add(node);
    if (nodes[k].op !== "parameter") order.push(k);
  }
  return order;
}

export const heading = (node) => (node.op === "parameter" ? node.name : node.name ? `${node.name} = ${node.op}` : node.op);

// A sentence on what happens at a position.
export function said(run, state, position) {
  const { nodes } = run;
  if (position === 0) return "The inputs are given. Step on to compute.";
  if (state.active == null) return "Nothing depends on the inputs.";
  const node = nodes[state.active];
  if (!state.isBack) {
    const of = node.operands.map((o) => (o.node == null ? short(o.value) : nodes[o.node].name || short(o.value)));
    return `Forward: ${heading(node)}(${of.join(", ")}) has the value ${short(node.value)}.`;
  }
  const parts = node.operands.filter((o) => o.node != null).map((o) =>
    `${nodes[o.node].name || nodes[o.node].op} receives ${short(node.adjoint)} × ${short(o.partial)}`);
  return `Backward: ${heading(node)} has the adjoint ${short(node.adjoint)}; ${parts.join(", ")}.`;
}

// How an adjoint was added up, where a node is used more than once.
export function sum(state, k) {
  const all = state.contributions[k];
  if (all.length + state.missing[k] < 2 || all.length === 0) return "";
  const parts = all.map((c) => `${short(c.adjoint)} × ${short(c.partial)}`);
  return parts.join(" + ") + (state.missing[k] ? " + …" : "");
}

// Columns by the longest way from an input; within them by where operands stand.
function layout(nodes) {
  const depth = [];
  nodes.forEach((node, k) => {
    const before = node.operands.filter((o) => o.node != null).map((o) => depth[o.node]);
    depth[k] = before.length ? Math.max(...before) + 1 : 0;
  });
  // An input stands before what uses it first.
  const first = nodes.map(() => Infinity);
  nodes.forEach((node, k) => node.operands.forEach((o) => o.node != null && (first[o.node] = Math.min(first[o.node], depth[k]))));
  nodes.forEach((node, k) => node.op === "parameter" && first[k] < Infinity && (depth[k] = first[k] - 1));
  const columns = [];
  depth.forEach((d, k) => (columns[d] ??= []).push(k));
  const row = [];
  columns.forEach((column) => column.forEach((k, r) => (row[k] = r)));
  const users = nodes.map(() => []);
  nodes.forEach((node, k) => node.operands.forEach((o) => o.node != null && users[o.node].push(k)));
  const middle = (all, other) => (all.length ? all.reduce((s, k) => s + row[k], 0) / all.length : row[other]);
  for (let sweep = 0; sweep < 6; sweep++) {
    for (const column of sweep % 2 ? [...columns].reverse() : columns) {
      const near = (k) => (sweep % 2 ? users[k] : nodes[k].operands.map((o) => o.node).filter((n) => n != null));
      const weight = new Map(column.map((k) => [k, middle(near(k), k)]));
      column.sort((a, b) => weight.get(a) - weight.get(b) || a - b);
      column.forEach((k, r) => (row[k] = r));
    }
  }
  const tallest = Math.max(...columns.map((c) => c.length));
  return nodes.map((_, k) => {
    const free = (tallest - columns[depth[k]].length) / 2;
    return { x: 10 + depth[k] * (WIDTH + GAP_X), y: 26 + (row[k] + free) * (HEIGHT + GAP_Y) };
  });
}

export function draw(where, run, state) {
  const { nodes } = run;
  if (nodes.length > LARGEST) {
    where.replaceChildren(element("p", {}, `The run has ${nodes.length} operations, too many for a picture; they are in the table.`));
    return;
  }
  run.places ??= layout(nodes);
  const at = run.places;
  const width = Math.max(...at.map((p) => p.x)) + WIDTH + 10, height = Math.max(...at.map((p) => p.y)) + HEIGHT + 26;
  const picture = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "The run as a graph; the table below says the same" });
  nodes.forEach((node, k) => {
    const inputs = node.operands.filter((o) => o.node != null);
    inputs.forEach((operand, j) => {
      const [a, b] = [at[operand.node], at[k]];
      const from = { x: a.x + WIDTH, y: a.y + HEIGHT / 2 };
      const to = { x: b.x, y: b.y + (HEIGHT * (j + 1)) / (inputs.length + 1) };
      const bend = Math.max(40, (to.x - from.x) / 2);
      const lit = state.active === k;
      const shown = k < state.known;
      const done = state.isBack && state.contributions[operand.node].some((c) => c.from === k);
      const kind = ["edge", shown ? "" : "later", lit ? (state.isBack ? "back" : "lit") : "", done ? "done" : ""].join(" ");
      picture.append(svg("path", { class: kind, d: `M${from.x} ${from.y} C${from.x + bend} ${from.y} ${to.x - bend} ${to.y} ${to.x} ${to.y}` }));
      if (done) {
        const text = lit ? `${short(node.adjoint)} × ${short(operand.partial)}` : `× ${short(operand.partial)}`;
        // Beside the user, where edges are apart.
        picture.append(svg("text", { class: `partial ${lit ? "back" : ""}`, x: to.x - 6, y: to.y - 4, "text-anchor": "end" }, text));
      }
    });
  });
  nodes.forEach((node, k) => {
    const shown = k < state.known;
    const end = node.op === "parameter" || k === run.result;
    const kind = ["node", end ? "end" : "", shown ? "" : "later", state.active === k ? (state.isBack ? "back" : "lit") : ""].join(" ");
    const constants = node.operands.some((o) => o.node == null) ? ` (${node.operands.map((o) => (o.node == null ? short(o.value) : "·")).join(", ")})` : "";
    const title = heading(node) + constants;
    const adjoint = state.adjoints[k];
    const group = svg("g", { class: kind, transform: `translate(${at[k].x} ${at[k].y})`, "data-node": k },
      svg("title", {}, `${title}, line ${node.line}: value ${number(node.value)}` + (adjoint == null ? "" : `, adjoint ${adjoint}`)),
      svg("rect", { width: WIDTH, height: HEIGHT, rx: 8 }),
      svg("text", { x: 10, y: 18, class: "name" }, title.length > 17 ? `${title.slice(0, 16)}…` : title),
      svg("text", { x: 10, y: 36, class: "value" }, shown ? short(node.value) : "·"),
      svg("text", { x: 10, y: 54, class: "adjoint" }, adjoint == null ? "" : `∂ ${short(adjoint)}`));
    const added = sum(state, k);
    if (added) group.append(svg("text", { class: "sum", x: 2, y: -4 }, `= ${added.length > 34 ? `${added.slice(0, 33)}…` : added}`));
    picture.append(group);
  });
  const { scrollLeft, scrollTop } = where;
  where.replaceChildren(picture);
  Object.assign(where, { scrollLeft, scrollTop });
}

export function table(where, run, state) {
  const rows = run.nodes.map((node, k) => {
    const partials = node.operands.map((o) => (o.node == null ? "constant" : `${run.nodes[o.node].name || run.nodes[o.node].op}: ${short(o.partial)}`));
    const adjoint = state.adjoints[k];
    return element("tr", { class: state.active === k ? (state.isBack ? "back" : "lit") : "" },
      element("th", { scope: "row" }, heading(node)),
      element("td", {}, String(node.line || "")),
      element("td", { class: "value" }, k < state.known ? String(number(node.value)) : ""),
      element("td", { class: "adjoint" }, adjoint == null ? "" : String(adjoint)),
      element("td", {}, partials.join(", ")),
      element("td", {}, sum(state, k)));
  });
  const head = ["Node", "Line", "Value", "Adjoint", "Local partials", "Added up"].map((text) => element("th", { scope: "col" }, text));
  where.replaceChildren(element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows));
}
