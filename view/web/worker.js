// The engine, in a worker: bytes and questions in, answers out, in the order of arrival.
const SLICE = 8 << 20, OK = 0, BAD_DESCRIPTOR = 8;
const MOST_BYTES = 2 ** 31 - 64; // the engine counts the bytes of a text in 31 bits
/** @type {any} the exports of the engine */
let engine = null;
const bytesAt = (at, size) => new Uint8Array(engine.memory.buffer, at >>> 0, size >>> 0);
const viewOf = () => new DataView(engine.memory.buffer);

// The part of WASI that the engine uses: clock and random numbers. There are no files, and printed text is discarded.
const offered = {
  clock_time_get(clock, precision, out) {
    viewOf().setBigUint64(out, BigInt(Math.round(performance.now() * 1e6)), true);
    return OK;
  },
  random_get(at, size) {
    crypto.getRandomValues(bytesAt(at, size));
    return OK;
  },
  environ_sizes_get(count, size) {
    viewOf().setUint32(count, 0, true);
    viewOf().setUint32(size, 0, true);
    return OK;
  },
  environ_get: () => OK,
  proc_exit(code) {
    throw new Error(`the engine ended with code ${code}`);
  },
};

async function start(bytes) {
  const module = await WebAssembly.compile(bytes);
  /** @type {WebAssembly.Imports} */
  const imports = {};
  for (const {module: from, name} of WebAssembly.Module.imports(module)) {
    if (!imports[from]) imports[from] = {};
    imports[from][name] = offered[name] || (() => BAD_DESCRIPTOR);
  }
  engine = (await WebAssembly.instantiate(module, imports)).exports;
  engine._initialize();
}

const resultBytes = () => bytesAt(engine.result(), engine.result_size());
const resultText = () => new TextDecoder().decode(resultBytes());

function reserve(size) {
  const at = engine.reserve(size);
  if (!at) throw new Error(resultText());
  return at;
}

// A file in slices, so that no second copy of it is ever complete, and after it the request about it.
async function openFile(about, blob) {
  const aboutBytes = new TextEncoder().encode(JSON.stringify(about));
  if (blob.size + aboutBytes.length > MOST_BYTES)
    throw new Error(`a browser tab opens files of up to 2.14 GB, this one has ${(blob.size / 1e9).toFixed(2)} GB; the memviz program opens larger ones`);
  const at = reserve(blob.size + aboutBytes.length);
  for (let done = 0; done < blob.size; done += SLICE) {
    const part = new Uint8Array(await blob.slice(done, done + SLICE).arrayBuffer());
    bytesAt(at + done, part.length).set(part);
  }
  bytesAt(at + blob.size, aboutBytes.length).set(aboutBytes);
  if (!engine.open(aboutBytes.length)) throw new Error(resultText());
  return resultText();
}

function answer(request, isBytes) {
  const bytes = new TextEncoder().encode(JSON.stringify(request));
  bytesAt(reserve(bytes.length), bytes.length).set(bytes);
  if (!engine.ask()) throw new Error(resultText());
  return isBytes ? resultBytes().slice().buffer : resultText();
}

async function handle({engineBytes, about, blob, request, isBytes}) {
  if (engineBytes) return start(engineBytes);
  try {
    return blob ? await openFile(about, blob) : answer(request, isBytes);
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError)
      throw new Error('this browser tab has too little memory for that; the memviz program needs less than the size of the file');
    throw error;
  }
}

let last = Promise.resolve();
self.onmessage = ({data}) => {
  last = last.then(async () => {
    try {
      const result = await handle(data);
      self.postMessage({id: data.id, result}, {transfer: result instanceof ArrayBuffer ? [result] : []});
    } catch (error) {
      self.postMessage({id: data.id, error: error.message});
    }
  });
};
