// Gradient flow: a chain of layers, and how much of the gradient arrives at each.

import { element, number, short, svg } from "./format.js";

const DERIVATIVE = { sigmoid: "σ′", tanh: "tanh′", relu: "relu′" };

export function chain(activation, depth) {
  const layer = (k) => {
    const z = `w * ${k === 1 ? "x" : `h${k - 1}`}`;
    return activation === "tanh" ? `(${z}).tanh()` : `${activation}(${z})`;
  };
  const body = Array.from({ length: depth }, (_, k) => `    let h${k + 1} = ${layer(k + 1)};\n`).join("");
  const uses = activation === "tanh" ? "grad" : `{grad, ${activation}}`;
  return `use autodiff::${uses};\n\n#[grad]\nfn chain(x: f64, w: f64) -> f64 {\n${body}    h${depth}\n}\n`;
}

// The layers from the input on: [name, adjoint].
export function layers(run, depth) {
  const found = new Map(run.nodes.filter((node) => node.name).map((node) => [node.name, node]));
  return ["x", ...Array.from({ length: depth }, (_, k) => `h${k + 1}`)].map((name) => [name, number(found.get(name)?.adjoint ?? 0)]);
}

export function show(parts, run, { activation, depth }) {
  const all = layers(run, depth);
  const size = ([, adjoint]) => Math.abs(adjoint);
  const [first, last] = [size(all[0]), size(all[depth])];
  parts.formula.replaceChildren(
    "∂h", element("sub", {}, String(depth)), " / ∂h", element("sub", {}, "k"),
    ` = ∏ w · ${DERIVATIVE[activation]}(w h`, element("sub", {}, "j−1"), ")  for j = k + 1 … ", String(depth));
  const factor = first > 0 ? Math.pow(first / last, 1 / depth) : 0;
  parts.said.textContent = `At the input the adjoint is ${short(all[0][1])}: ` + (first > 0
    ? `a factor of ${short(factor)} per layer${factor < 0.9 ? "; it vanishes" : factor > 1.1 ? "; it explodes" : ""}.`
    : "nothing arrives.");
  // A decade is a line; what is 0 has no bar.
  const logs = all.map((l) => (size(l) > 0 ? Math.log10(size(l)) : null));
  const known = logs.filter((l) => l != null);
  const top = Math.ceil(Math.max(0, ...known)), bottom = Math.floor(Math.min(-1, ...known));
  const [left, height, width] = [64, 260, 640];
  const y = (log) => 10 + (height * (top - log)) / (top - bottom);
  const picture = svg("svg", { viewBox: `0 0 ${width + left} ${height + 40}`, "aria-hidden": "true" });
  const every = Math.max(1, Math.ceil((top - bottom) / 10));
  for (let log = top; log >= bottom; log -= every) {
    picture.append(svg("line", { class: log === 0 ? "one" : "grid", x1: left, x2: left + width, y1: y(log), y2: y(log) }),
      svg("text", { x: left - 8, y: y(log) + 4, "text-anchor": "end" }, log === 0 ? "1" : `1e${log}`.replace("-", "−")));
  }
  const step = width / all.length;
  all.forEach(([name, adjoint], k) => {
    const x = left + k * step + step * 0.15;
    if (logs[k] != null) {
      picture.append(svg("rect", { class: "bar-of-layer", "data-layer": name, "data-adjoint": adjoint, x, y: y(logs[k]), width: step * 0.7, height: Math.max(1, 10 + height - y(logs[k])) },
        svg("title", {}, `${name}: ${adjoint}`)));
    }
    if (all.length <= 16 || k % 3 === 0) picture.append(svg("text", { x: x + step * 0.35, y: height + 28, "text-anchor": "middle" }, name));
  });
  parts.bars.replaceChildren(picture);
  parts.bars.setAttribute("aria-label", `Adjoints, on a logarithmic scale: ${all.map(([name, a]) => `${name} ${short(a)}`).join(", ")}`);
}
