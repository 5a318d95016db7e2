// The engine, in a worker: bytes and questions in, answers out, in the order of arrival.
const SLICE = 8 << 20, OK = 0, BAD_DESCRIPTOR = 8;
const MOST_BYTES = 2 ** 31 - 64; // the engine counts the bytes of a text in 31 bits

// The part of WASI that the engine uses: clock and random numbers. There are no files, and printed text is discarded.
// `bufferNow` returns its memory, which grows.
const offeredTo = (bufferNow) => ({
  clock_time_get(clock, precision, out) {
    new DataView(bufferNow()).setBigUint64(out, BigInt(Math.round(performance.now() * 1e6)), true);
    return OK;
  },
  random_get(at, size) {
    crypto.getRandomValues(new Uint8Array(bufferNow(), at >>> 0, size >>> 0));
    return OK;
  },
  environ_sizes_get(count, size) {
    new DataView(bufferNow()).setUint32(count, 0, true);
    new DataView(bufferNow()).setUint32(size, 0, true);
    return OK;
  },
  environ_get: () => OK,
  proc_exit(code) {
    throw new Error(`the engine ended with code ${code}`);
  },
});

// Returns the engine, packed with zstd, which browsers do not unpack, by the functions of view/unpacker.c.
/** @type {(packed: Uint8Array, unpacker: ArrayBuffer) => Promise<Uint8Array>} */
async function unpackedEngine(packed, unpacker) {
  /** @type {any} */
  const {memory, reserve, unpacked_size, unpack} = (await WebAssembly.instantiate(unpacker)).instance.exports;
  const at = reserve(packed.length);
  new Uint8Array(memory.buffer, at, packed.length).set(packed);
  const size = unpacked_size(at, packed.length), to = reserve(size);
  if (!unpack(to, size, at, packed.length)) throw new Error('the engine in the page is damaged');
  return new Uint8Array(memory.buffer, to, size);
}

// Returns the functions of the engine.
/** @type {(bytes: Uint8Array) => Promise<any>} */
async function started(bytes) {
  const module = await WebAssembly.compile(bytes), offered = offeredTo(() => functions.memory.buffer);
  /** @type {WebAssembly.Imports} */
  const imports = {};
  for (const {module: from, name} of WebAssembly.Module.imports(module)) {
    if (!imports[from]) imports[from] = {};
    imports[from][name] = offered[name] || (() => BAD_DESCRIPTOR);
  }
  /** @type {any} */
  const functions = (await WebAssembly.instantiate(module, imports)).exports;
  functions._initialize();
  return functions;
}

// Returns what opens files and answers questions.
function engineOf(functions) {
  const bytesAt = (at, size) => new Uint8Array(functions.memory.buffer, at >>> 0, size >>> 0);
  const resultBytes = () => bytesAt(functions.result(), functions.result_size());
  const resultText = () => new TextDecoder().decode(resultBytes());

  function reserve(size) {
    const at = functions.reserve(size);
    if (!at) throw new Error(resultText());
    return at;
  }

  // A file in slices, so that no second copy of it is ever complete, and after it the request about it.
  async function openFile(about, blob) {
    const aboutBytes = new TextEncoder().encode(JSON.stringify(about));
    if (blob.size + aboutBytes.length > MOST_BYTES)
      throw new Error(`a browser tab opens files of up to 2.14 GB, this one has ${(blob.size / 1e9).toFixed(2)} GB; the memviz program opens larger ones`);
    const at = reserve(blob.size + aboutBytes.length);
    const read = (from) => from < blob.size && blob.slice(from, from + SLICE).arrayBuffer();
    for (let done = 0, next = read(0); next; done += SLICE) {
      const part = new Uint8Array(await next);
      if (part.length !== Math.min(SLICE, blob.size - done)) throw new Error('the file changed while it was read'); // Firefox gives less
      next = read(done + SLICE); // while this one is copied
      bytesAt(at + done, part.length).set(part);
    }
    bytesAt(at + blob.size, aboutBytes.length).set(aboutBytes);
    if (!functions.open(aboutBytes.length)) throw new Error(resultText());
    return resultText();
  }

  function answer(request, isBytes) {
    const bytes = new TextEncoder().encode(JSON.stringify(request));
    bytesAt(reserve(bytes.length), bytes.length).set(bytes);
    if (!functions.ask()) throw new Error(resultText());
    return isBytes ? resultBytes().slice().buffer : resultText();
  }

  return {openFile, answer};
}

async function handle({openFile, answer}, {about, blob, request, isBytes}) {
  try {
    return blob ? await openFile(about, blob) : answer(request, isBytes);
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError)
      throw new Error('this browser tab has too little memory for that; the memviz program needs less than the size of the file');
    throw error;
  }
}

// The first message has the engine.
function serve() {
  let engine = null, last = Promise.resolve();
  async function reply(message) {
    const {id, packedEngine, unpacker} = message;
    try {
      if (packedEngine) engine = engineOf(await started(await unpackedEngine(packedEngine, unpacker)));
      const result = packedEngine ? undefined : await handle(engine, message);
      self.postMessage({id, result}, {transfer: result instanceof ArrayBuffer ? [result] : []});
    } catch (error) {
      self.postMessage({id, error: error.message});
    }
  }
  self.onmessage = ({data}) => {
    last = last.then(() => reply(data));
  };
}

serve();
