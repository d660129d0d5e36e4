// Numbers and elements.

// What JSON has no numbers for comes as text.
export function number(x) {
  if (typeof x === "number") return x;
  return { inf: Infinity, "-inf": -Infinity }[x] ?? NaN;
}

// A number with about six digits.
export function short(x) {
  x = number(x);
  if (x === 0) return "0";
  if (!Number.isFinite(x)) return Number.isNaN(x) ? "NaN" : x > 0 ? "∞" : "−∞";
  const size = Math.abs(x);
  const text = size < 1e-4 || size >= 1e7
    ? x.toExponential(4).replace(/\.?0+e/, "e").replace("e+", "e")
    : String(Number(x.toPrecision(6)));
  return text.replaceAll("-", "−");
}

// An element with attributes and children; texts are never read as HTML.
export function element(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value != null) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}
