// The source as it is typed, with colours and with what is refused underlined.

import { element } from "./format.js";

const TOKENS = new RegExp([
  "(?<comment>//.*|/\\*[^]*?\\*/)",
  "(?<attribute>#!?\\[[^\\]]*\\])",
  "(?<string>\"(?:\\\\.|[^\"\\\\])*\"|'(?:\\\\.|[^'\\\\])')",
  "(?<number>\\b\\d[\\d_]*(?:\\.\\d[\\d_]*)?(?:[eE][+-]?\\d+)?(?:f64|f32|[ui](?:8|16|32|64|size))?\\b)",
  "(?<keyword>\\b(?:as|break|const|continue|else|enum|fn|for|if|impl|in|let|loop|match|mod|move|mut|pub|ref|return|self|Self|static|struct|trait|type|unsafe|use|where|while|true|false)\\b)",
  "(?<type>\\b(?:f64|f32|usize|isize|bool|[ui](?:8|16|32|64)|[A-Z]\\w*)\\b)",
].join("|"), "g");

// Pieces of a text: [text, class].
export function coloured(text) {
  const pieces = [];
  let at = 0;
  for (const match of text.matchAll(TOKENS)) {
    if (match.index > at) pieces.push([text.slice(at, match.index), ""]);
    const kind = Object.keys(match.groups).find((name) => match.groups[name] !== undefined);
    pieces.push([match[0], kind]);
    at = match.index + match[0].length;
  }
  if (at < text.length) pieces.push([text.slice(at), ""]);
  return pieces;
}

// The layer behind the text field; ranges of problems cut pieces in two.
export function paint(layer, text, problems) {
  layer.replaceChildren();
  let at = 0;
  for (const [piece, kind] of coloured(text)) {
    const end = at + piece.length;
    const cuts = problems.flatMap((p) => [p.start, p.end]).filter((k) => k > at && k < end);
    const ends = [...new Set([...cuts, end])].sort((a, b) => a - b);
    for (const next of ends) {
      const wrong = problems.some((p) => p.start <= at && next <= p.end);
      layer.append(element("span", { class: [kind, wrong ? "wrong" : ""].join(" ").trim() }, text.slice(at, next)));
      at = next;
    }
  }
  layer.append("\n");
}
