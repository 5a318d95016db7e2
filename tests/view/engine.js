// The engine of the page under node, through the page's own worker.
import {readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {gunzipSync} from 'node:zlib';

const waiting = new Map();
let nextId = 0;
globalThis.self = {
  postMessage({id, result, error}) {
    const {resolve, reject} = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) resolve(result);
    else reject(new Error(error));
  },
};
await import('../../view/web/worker.js');

function post(message) {
  return new Promise((resolve, reject) => {
    const id = nextId++;
    waiting.set(id, {resolve, reject});
    globalThis.self.onmessage({data: {id, ...message}});
  });
}

// The tests of the file that MEMVIZ_ENGINE names; without one they are skipped.
export async function startEngine() {
  const path = process.env.MEMVIZ_ENGINE;
  if (!path) {
    console.log('skipped: this build is without the engine of `memviz view`, which `./run page` builds');
    process.exit(77);
  }
  await post({packedEngine: readFileSync(path), unpacker: gunzipSync(readFileSync(join(dirname(path), 'unpacker.wasm.gz')))});
}

// Returns the number of the file in the engine.
export const openBlob = async (name, blob, rank = '') => Number(await post({blob, about: {name, rank}}));
export const openAsPart = async (name, blob) => JSON.parse(await post({blob, about: {name, is_of_job: true}}));
export const openFile = (name, bytes) => openBlob(name, new Blob([bytes]));
export const askText = (request) => post({request});
export const askJson = async (request) => JSON.parse(await post({request}));
export const askBytes = (request) => post({request, isBytes: true});
export const askDoubles = async (request) => new Float64Array(await askBytes(request));
