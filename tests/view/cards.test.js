// The cards of events are those of `memviz trace`, and a search finds the events that the trace has the text in.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import test from 'node:test';
import {fileURLToPath} from 'node:url';
import {askJson, openFile, startEngine} from './engine.js';
import {native} from './native.js';

const testdata = fileURLToPath(new URL('../../testdata', import.meta.url));
const FILES = ['oom', 'devices_streams', 'training_step', 'gen_2.15_host'];
const EVENTS = 40; // of each device

function traceOf(name) {
  const {text, error} = native(testdata, ['trace', `${name}.pickle`, '--json', '-']);
  assert.equal(error, undefined);
  return JSON.parse(text).lines.filter(({kind}) => kind === 'event');
}

const numberOf = (device) => (device === 'host' ? 0x10000 : device);
const hexOf = (decimal) => `0x${BigInt(decimal).toString(16)}`;

async function checkCard(file, row) {
  const card = await askJson({ask: 'event', file, device: numberOf(row.device), event: row.event}), label = JSON.stringify(row);
  assert.equal(card.action, row.action, label);
  assert.equal(card.bytes, row.size_bytes, label);
  assert.equal(card.stream, row.stream, label);
  assert.equal(card.time_us, row.time_us, label);
  if (card.address) assert.equal(card.address, hexOf(row.address), label);
  if (card.name) assert.equal(card.name, row.name, label);
  if (card.allocated) assert.equal(card.allocated.event, row.began_event, label);
  if (row.device_free_bytes !== undefined) assert.equal(card.free_bytes, row.device_free_bytes, label);
  assert.equal(card.line, row.line || '', label);
}

// All moments of a device at which a text is found, by going from one to the next.
async function momentsOf(file, device, text) {
  await askJson({ask: 'find', file, text});
  const states = [];
  let hits = await askJson({ask: 'hits', file, device, state: 0});
  for (; hits.next !== undefined; hits = await askJson({ask: 'hits', file, device, state: hits.next})) states.push(hits.next);
  assert.equal(states.length + (hits.first === 0 ? 1 : 0), hits.all);
  return states;
}

test('cards and searches agree with the trace', async (context) => {
  await startEngine();
  for (const name of FILES) {
    await context.test(name, async () => {
      const file = await openFile(name, readFileSync(`${testdata}/${name}.pickle`)), rows = traceOf(name);
      for (const device of new Set(rows.map((row) => row.device))) {
        const own = rows.filter((row) => row.device === device), step = Math.max(1, Math.floor(own.length / EVENTS));
        for (let i = 0; i < own.length; i += step) await checkCard(file, own[i]);
        const {address} = own.find((row) => row.action === 'alloc');
        const wanted = own.filter((row) => row.address && hexOf(row.address).startsWith(hexOf(address))).map((row) => row.event + 1);
        const found = await momentsOf(file, numberOf(device), hexOf(address));
        assert.deepEqual(wanted.filter((state) => !found.includes(state)), [], `${name}: moments of ${hexOf(address)}`);
        assert.deepEqual(await momentsOf(file, numberOf(device), 'no such text anywhere'), []);
      }
    });
  }
});
