// The page's end of the engine: questions -> promises of answers.
import {byId} from './elements.js';

// Browsers have names that the types of TypeScript 4.8 lack.
/** @type {any} */
const newer = globalThis;

function fromBase64(text) {
  if (newer.Uint8Array.fromBase64) return newer.Uint8Array.fromBase64(text);
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

// Takes the bytes in an element out of the page, as a Blob.
export function carried(holder) {
  const bytes = fromBase64(holder.textContent.trim());
  holder.remove();
  return new Blob([bytes]);
}

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
  const post = startWorker(), unpacked = carried(byId('engine')).stream().pipeThrough(new newer.DecompressionStream('gzip'));
  await post({engineBytes: await new Response(unpacked).arrayBuffer()});
  return post;
}

// A file may be dropped before the engine runs.
export function makeEngine() {
  const started = startedEngine(), ask = async (message) => (await started)(message);
  return {
    started,
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
