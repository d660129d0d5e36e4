// A run as a picture: values in the order in which they appear, adjoints as they flow back.

import { element, number, short, svg } from "./format.js";

const WIDTH = 132, HEIGHT = 62, LANE = 12, GAP_X = 120, GAP_Y = 22, GAP_ROWS = 62, LARGEST = 160;

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

// Where nodes stand: in columns by the longest way from an input, or in rows where there is little width.
// Values that are used further on have lanes through what lies between.
function layout(nodes, upright) {
  const depth = [];
  nodes.forEach((node, k) => {
    const before = node.operands.filter((o) => o.node != null).map((o) => depth[o.node]);
    depth[k] = before.length ? Math.max(...before) + 1 : 0;
  });
  // An input stands before what uses it first.
  const first = nodes.map(() => Infinity);
  nodes.forEach((node, k) => node.operands.forEach((o) => o.node != null && (first[o.node] = Math.min(first[o.node], depth[k]))));
  nodes.forEach((node, k) => node.op === "parameter" && first[k] < Infinity && (depth[k] = first[k] - 1));
  // Nodes, and behind them lanes, with their neighbours in the columns beside them.
  const items = depth.map((d) => ({ depth: d, size: upright ? WIDTH : HEIGHT, before: [], after: [] }));
  const lanes = nodes.map(() => new Map());
  const link = (a, b) => (items[a].after.push(b), items[b].before.push(a));
  const ways = nodes.map((node, k) => node.operands.map(({ node: from }) => {
    if (from == null) return null;
    const way = [];
    let last = from;
    for (let d = depth[from] + 1; d < depth[k]; d++) {
      if (!lanes[from].has(d)) {
        lanes[from].set(d, items.push({ depth: d, size: LANE, before: [], after: [] }) - 1);
        link(last, lanes[from].get(d));
      }
      way.push((last = lanes[from].get(d)));
    }
    link(last, k);
    return way;
  }));
  const columns = [];
  items.forEach((item, i) => (columns[item.depth] ??= []).push(i));
  const row = [];
  columns.forEach((column) => column.forEach((i, r) => (row[i] = r)));
  const middle = (all, other) => (all.length ? all.reduce((s, i) => s + row[i], 0) / all.length : row[other]);
  for (let sweep = 0; sweep < 6; sweep++) {
    for (const column of sweep % 2 ? [...columns].reverse() : columns) {
      const weight = new Map(column.map((i) => [i, middle(sweep % 2 ? items[i].after : items[i].before, i)]));
      column.sort((a, b) => weight.get(a) - weight.get(b) || a - b);
      column.forEach((i, r) => (row[i] = r));
    }
  }
  const gap = upright ? 14 : GAP_Y;
  const breadth = (column) => column.reduce((sum, i) => sum + items[i].size + gap, -gap);
  const broadest = Math.max(...columns.map(breadth));
  const step = upright ? HEIGHT + GAP_ROWS : WIDTH + GAP_X;
  for (const column of columns) {
    let across = (broadest - breadth(column)) / 2;
    for (const i of column) {
      const along = items[i].depth * step;
      items[i].place = upright ? { x: 10 + across, y: 26 + along } : { x: 10 + along, y: 26 + across };
      across += items[i].size + gap;
    }
  }
  const length = columns.length * step - (upright ? GAP_ROWS : GAP_X);
  const [width, height] = upright ? [broadest, length] : [length, broadest];
  const places = items.map((item) => item.place);
  return { upright, places, ways, width: width + 20, height: height + 52 };
}

// The curves of an edge: four points each, from the value by its lanes to the user.
function curves({ upright, places, ways }, nodes, k, j) {
  const from = nodes[k].operands[j].node;
  const point = (along, across) => (upright ? { x: across, y: along } : { x: along, y: across });
  const start = (place, size) => (upright ? point(place.y, place.x + size) : point(place.x, place.y + size));
  const [long, broad] = upright ? [HEIGHT, WIDTH] : [WIDTH, HEIGHT];
  const onward = (p, by) => (upright ? { x: p.x, y: p.y + by } : { x: p.x + by, y: p.y });
  // Where edges arrive they keep the order in which they come.
  const comes = nodes[k].operands.map(({ node }, i) => (node == null ? null : places[ways[k][i].at(-1) ?? node]));
  const across = (i) => (upright ? comes[i].x : comes[i].y);
  const order = comes.flatMap((place, i) => (place ? [i] : [])).sort((a, b) => across(a) - across(b) || a - b);
  const port = (broad * (order.indexOf(j) + 1)) / (order.length + 1);
  const found = [];
  let out = onward(start(places[from], broad / 2), long);
  const reach = (to) => {
    const bend = Math.max(upright ? 24 : 40, (upright ? to.y - out.y : to.x - out.x) / 2);
    found.push([out, onward(out, bend), onward(to, -bend), to]);
  };
  for (const lane of ways[k][j]) {
    reach(start(places[lane], LANE / 2));
    out = onward(start(places[lane], LANE / 2), long);
  }
  reach(start(places[k], port));
  return found;
}

function path(pieces) {
  const at = (p) => `${p.x} ${p.y}`;
  return pieces.map(([a, b, c, d], k) => `${k ? "L" : "M"}${at(a)} C${at(b)} ${at(c)} ${at(d)}`).join(" ");
}

// A point of a curve.
function on([a, b, c, d], t) {
  const s = 1 - t;
  const mix = (of) => s * s * s * a[of] + 3 * s * s * t * b[of] + 3 * s * t * t * c[of] + t * t * t * d[of];
  return { x: mix("x"), y: mix("y") };
}

// The place of a label on a curve where it covers least of what is there.
function free(curve, width, taken) {
  let best = null;
  for (const aside of [0, -14, 14, -28, 28]) {
    for (const t of [0.5, 0.62, 0.38, 0.74, 0.26, 0.86, 0.14]) {
      const { x, y } = on(curve, t);
      const box = { x: x - width / 2, y: y + aside - 8, width, height: 15 };
      const covered = taken.reduce((sum, other) => sum + overlap(box, other), 0);
      if (!best || covered < best.covered) best = { ...box, covered };
      if (covered === 0) return best;
    }
  }
  return best;
}

function overlap(a, b) {
  const x = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const y = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return x > 0 && y > 0 ? x * y : 0;
}

// About the width of a text of the size of labels.
const broad = (text) => 6.9 * text.length + 4;

// Where everything stands, as there is room.
function placed(where, run) {
  if (run.nodes.length > LARGEST) return null;
  const upright = where.clientWidth < 560;
  if (run.layout?.upright !== upright) run.layout = layout(run.nodes, upright);
  return run.layout;
}

// The part of the picture in which a node is, with its operands or alone.
export function surroundings(run, k, operands) {
  const others = operands ? run.nodes[k].operands.map((o) => o.node).filter((n) => n != null) : [];
  const near = [k, ...others].map((n) => run.layout.places[n]);
  return {
    left: Math.min(...near.map((p) => p.x)) - 10, right: Math.max(...near.map((p) => p.x + WIDTH)) + 10,
    top: Math.min(...near.map((p) => p.y)) - 26, bottom: Math.max(...near.map((p) => p.y + HEIGHT)) + 10,
  };
}

export function draw(where, run, state) {
  const { nodes } = run;
  const laid = placed(where, run);
  if (!laid) {
    where.replaceChildren(element("p", {}, `The run has ${nodes.length} operations, too many for a picture; they are in the table.`));
    return;
  }
  const { places, width, height, upright } = laid;
  const picture = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "The run as a graph; the table below says the same" });
  const taken = nodes.map((_, k) => ({ ...places[k], width: WIDTH, height: HEIGHT }));
  const labels = [];
  nodes.forEach((node, k) => node.operands.forEach((operand, j) => {
    if (operand.node == null) return;
    const lit = state.active === k;
    const shown = k < state.known;
    const done = state.isBack && state.contributions[operand.node].some((c) => c.from === k);
    const kind = ["edge", shown ? "" : "later", lit ? (state.isBack ? "back" : "lit") : "", done ? "done" : ""].join(" ");
    const pieces = curves(laid, nodes, k, j);
    picture.append(svg("path", { class: kind, d: path(pieces) }));
    if (done) labels.push({ lit, curve: pieces.at(-1), text: lit ? `${short(node.adjoint)} × ${short(operand.partial)}` : `× ${short(operand.partial)}` });
  }));
  nodes.forEach((node, k) => {
    const shown = k < state.known;
    const end = node.op === "parameter" || k === run.result;
    const kind = ["node", end ? "end" : "", shown ? "" : "later", state.active === k ? (state.isBack ? "back" : "lit") : ""].join(" ");
    const constants = node.operands.some((o) => o.node == null) ? ` (${node.operands.map((o) => (o.node == null ? short(o.value) : "·")).join(", ")})` : "";
    const title = heading(node) + constants;
    const adjoint = state.adjoints[k];
    const group = svg("g", { class: kind, transform: `translate(${places[k].x} ${places[k].y})`, "data-node": k },
      svg("title", {}, `${title}, line ${node.line}: value ${number(node.value)}` + (adjoint == null ? "" : `, adjoint ${adjoint}`)),
      svg("rect", { width: WIDTH, height: HEIGHT, rx: 8 }),
      svg("text", { x: 10, y: 18, class: "name" }, title.length > 17 ? `${title.slice(0, 16)}…` : title),
      svg("text", { x: 10, y: 36, class: "value" }, shown ? short(node.value) : "·"),
      svg("text", { x: 10, y: 54, class: "adjoint" }, adjoint == null ? "" : `∂ ${short(adjoint)}`));
    const most = upright ? 20 : 34;
    const added = sum(state, k);
    if (added) {
      const text = `= ${added.length > most ? `${added.slice(0, most - 1)}…` : added}`;
      group.append(svg("text", { class: "sum", x: 2, y: -4 }, text));
      taken.push({ x: places[k].x, y: places[k].y - 16, width: broad(text), height: 16 });
    }
    picture.append(group);
  });
  // What happens now has the first choice.
  for (const { lit, curve, text } of labels.sort((a, b) => b.lit - a.lit)) {
    const box = free(curve, broad(text), taken);
    taken.push(box);
    const { x, y, width, height } = box;
    picture.append(svg("g", { class: `partial ${lit ? "back" : ""}` },
      svg("rect", { x, y, width, height, rx: 4 }), svg("text", { x: x + width / 2, y: y + 12, "text-anchor": "middle" }, text)));
  }
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
