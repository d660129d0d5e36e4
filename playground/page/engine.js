// The compiler: in WebAssembly where that was built, else on the server that the page came from.

let wasm = null;
let place = null;

async function load() {
  try {
    const response = await fetch("engine.wasm");
    if (!response.ok) return null;
    const { instance } = await WebAssembly.instantiate(await response.arrayBuffer(), {});
    return instance.exports;
  } catch {
    return null;
  }
}

// Where it runs: "wasm" or "server".
export async function start() {
  wasm = await load();
  place = wasm ? "wasm" : "server";
  return place;
}

export async function ask(request) {
  const text = JSON.stringify(request);
  try {
    return JSON.parse(wasm ? call(text) : await post(text));
  } catch (error) {
    // After a trap its memory is in no known state.
    if (wasm) wasm = await load();
    return { failed: `the compiler failed: ${error.message}` };
  }
}

function call(text) {
  const bytes = new TextEncoder().encode(text);
  const request = wasm.playground_alloc(bytes.length);
  new Uint8Array(wasm.memory.buffer, request, bytes.length).set(bytes);
  const answer = wasm.playground_call(request, bytes.length);
  const length = new DataView(wasm.memory.buffer).getUint32(answer, true);
  const json = new TextDecoder().decode(new Uint8Array(wasm.memory.buffer, answer + 4, length));
  wasm.playground_free(answer, length);
  return json;
}

async function post(text) {
  const response = await fetch("engine", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: text,
  });
  if (!response.ok) throw new Error("there is no engine.wasm, and no local server that answers");
  return response.text();
}
