// Fields and sliders for the inputs of a function.

import { element, number } from "./format.js";

// A value that a parameter of this type can begin with.
export function start(type) {
  switch (type.kind) {
    case "float": return 1;
    case "int": return 1;
    case "bool": return true;
    case "list": return Array.from({ length: type.length ?? 3 }, (_, k) => (type.of.kind === "float" ? 0.5 * (k + 1) : start(type.of)));
    default: return type.parts.map(start);
  }
}

// Whether a value fits a type.
export function fits(type, value) {
  switch (type.kind) {
    case "float": return typeof value === "number" || typeof value === "string";
    case "int": return Number.isInteger(value) && (type.signed || value >= 0);
    case "bool": return typeof value === "boolean";
    case "list": return Array.isArray(value) && (type.length == null || type.length === value.length) && value.every((v) => fits(type.of, v));
    default: return Array.isArray(value) && value.length === type.parts.length && value.every((v, k) => fits(type.parts[k], v));
  }
}

// Makes the fields; `changed` is told whenever `values` are others.
export function fields(where, parameters, values, changed) {
  const again = () => { fields(where, parameters, values, changed); changed(); };
  const made = parameters.flatMap((p, k) => field(p, p.name, values[k], (v) => { values[k] = v; changed(); }, again));
  where.replaceChildren(...made);
}

function field(type, name, value, set, again) {
  switch (type.kind) {
    case "float": return [slider(name, number(value), "any", set)];
    case "int": return [slider(name, value, 1, set, type.signed ? undefined : 0)];
    case "bool": {
      const box = element("input", { type: "checkbox", onchange: () => set(box.checked) });
      box.checked = value;
      return [element("label", { class: "field" }, element("span", {}, name), box)];
    }
    case "list": {
      const items = value.flatMap((v, k) => field(type.of, `${name}[${k}]`, v, (v) => { value[k] = v; set(value); }, again));
      if (type.length != null) return items;
      const button = (text, label, change) => element("button", { "aria-label": `${label} ${name}`, onclick: () => { change(); again(); } }, text);
      return [...items, element("span", { class: "field" }, element("span", {}, name),
        button("+", "One element more in", () => value.push(start(type.of))),
        button("−", "One element less in", () => value.pop()))];
    }
    default: return value.flatMap((v, k) => field(type.parts[k], `${name}.${k}`, v, (v) => { value[k] = v; set(value); }, again));
  }
}

function slider(name, value, step, set, least) {
  const reach = Math.max(5, 2 * Math.abs(value) || 0);
  const range = element("input", { type: "range", min: least ?? -reach, max: Math.ceil(reach), step: step === "any" ? 0.01 : step, "aria-label": `${name}, slider` });
  const text = element("input", { type: "number", step, "aria-label": name });
  range.value = value;
  text.value = value;
  range.addEventListener("input", () => { text.value = range.value; set(Number(range.value)); });
  text.addEventListener("input", () => {
    if (text.value === "" || !Number.isFinite(text.valueAsNumber)) return;
    const x = step === 1 ? Math.trunc(text.valueAsNumber) : text.valueAsNumber;
    if (least != null && x < least) return;
    range.value = x;
    set(x);
  });
  return element("div", { class: "field", "data-input": name }, element("span", {}, name), range, text);
}
