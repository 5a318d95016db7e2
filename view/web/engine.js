// The page's end of the engine: questions -> promises of answers.
import {carriedBlob, carriedBytes} from './carried.js';
import {byId} from './elements.js';

// Browsers have names that the types of TypeScript 4.8 lack.
/** @type {any} */
const newer = globalThis;

// Returns what posts messages to a new worker, each a promise of its result.
function startWorker() {
  const script = new Blob([byId('worker').textContent], {type: 'text/javascript'}), worker = new Worker(URL.createObjectURL(script));
  const waiting = new Map();
  let nextId = 0;
  worker.onmessage = ({data}) => {
    const {resolve, reject} = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.error === undefined) resolve(data.result);
    else reject(new Error(data.error));
  };
  return (message) => new Promise((resolve, reject) => {
    const id = nextId++;
    waiting.set(id, {resolve, reject});
    worker.postMessage({id, ...message});
  });
}

async function startedEngine() {
  const post = startWorker(), unpacker = carriedBlob(byId('unpacker')).stream().pipeThrough(new newer.DecompressionStream('gzip'));
  await post({packedEngine: carriedBytes(byId('engine')), unpacker: await new Response(unpacker).arrayBuffer()});
  return post;
}

// Why a question about a closed file has no answer: the part of the page that asked shows another file.
export class FileClosed extends Error {}

// A file may be dropped before the engine runs.
export function makeEngine() {
  const started = startedEngine(), closed = new Set();
  async function ask(message) {
    try {
      return await (await started)(message);
    } catch (error) {
      throw closed.has(message.request?.file) ? new FileClosed() : error;
    }
  }
  return {
    started,
    close(file) {
      closed.add(file); // the engine gives no number twice
      return ask({request: {ask: 'close', file}});
    },
    // `rank` is the name of a snapshot in a file of several.
    openBlob: async (name, blob, rank = '') => Number(await ask({blob, about: {name, rank}})),
    // Begins a job without files.
    beginJob: () => ask({request: {ask: 'new_job'}}),
    // Adds a file to the job, of which the engine keeps a few kilobytes for each rank; returns the names of these.
    openAsPart: async (name, blob) => JSON.parse(await ask({blob, about: {name, is_of_job: true}})),
    askText: (request) => ask({request}),
    askJson: async (request) => JSON.parse(await ask({request})),
    askBytes: (request) => ask({request, isBytes: true}),
  };
}

// Returns a function whose calls work one after the other: a key may be pressed again before the engine has answered.
export function inTurn(work) {
  let last = Promise.resolve();
  return (wanted) => (last = last.then(() => work(wanted)).catch(() => {}));
}

// Asks for what is needed now: while one question is open, only the last of the new ones is asked.
export function latestOnly(work) {
  let isBusy = false, next = null;
  return async function run(wanted) {
    if (isBusy) {
      next = wanted;
      return;
    }
    isBusy = true;
    try {
      await work(wanted);
    } finally {
      isBusy = false;
      if (next !== null) {
        const again = next;
        next = null;
        run(again);
      }
    }
  };
}
