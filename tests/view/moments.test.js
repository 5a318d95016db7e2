// Figures of the engine at moments all over a recording are those of `memviz stats` and `memviz state`. Files of testdata/, or those that the
// command line names: `node moments.test.js FILE...`.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {basename, dirname} from 'node:path';
import test from 'node:test';
import {askDoubles, askJson, openFile, startEngine} from './engine.js';
import {named, testdata} from './files.js';
import {deviceWord, native} from './native.js';

const few = ['oom', 'devices_streams', 'training_step'];
const files = named.length > 0 ? named : few.map((name) => `${testdata}/${name}.pickle`);
const MOMENTS = named.length > 0 ? 50 : 10; // of all devices of a file
const KINDS = 6;                            // numbers before those of the classes

const keyOf = (label) => (label === 'parameter or state' ? 'parameter_or_optimizer_state' : label.replaceAll(' ', '_'));
const sum = (numbers) => numbers.reduce((all, number) => all + number, 0);

// The states of a device at which it is looked at: after its first event, its last one, and as far apart between.
function statesOf(device, count) {
  const states = new Set();
  for (let i = 0; i < count; ++i) states.add(1 + Math.round((i * (device.events - 1)) / Math.max(1, count - 1)));
  return [...states];
}

function nativeJson(path, command, word, state) {
  const {text, error} = native(dirname(path), [command, basename(path), '--device', word, '--at', `event:${state - 1}`, '--json', '-']);
  assert.equal(error, undefined);
  return JSON.parse(text);
}

async function checkMoment(path, file, device, state) {
  const word = deviceWord(device.device), where = {file, device: device.device, state};
  const label = `${basename(path)}, device ${word}, state ${state}`;
  const [figures] = nativeJson(path, 'stats', word, state).devices;
  const live = await askDoubles({ask: 'live', ...where, by: 'kind'});
  assert.equal(live[0], figures.requested_bytes, `${label}: live bytes`);
  if (state >= device.reserved_known_from) assert.equal(live[2], figures.reserved_bytes, `${label}: reserved bytes`);
  assert.equal(sum(live.slice(KINDS)), live[0], `${label}: bytes of the classes`);

  // Kinds and lines of a moment are those of its blocks; memory outside all segments has none.
  if (figures.outside_bytes > 0) return;
  const byKind = await askJson({ask: 'lines', ...where, by: 'kind'});
  const kindsOf = (kinds, name) => Object.fromEntries(kinds.filter((kind) => kind.bytes > 0).map((kind) => [keyOf(kind[name]), kind.bytes]));
  assert.deepEqual(kindsOf(byKind.rows, 'name'), kindsOf(figures.kinds, 'kind'), `${label}: bytes of kinds`);
  const byLine = await askJson({ask: 'lines', ...where, by: 'line'});
  const {lines, segments} = nativeJson(path, 'state', word, state);
  const isShown = (line) => line.bytes > 0 && line.line !== '';
  const sorted = (all) => all.filter(isShown).map((line) => `${line.line} ${line.bytes} ${line.blocks}`).sort();
  assert.deepEqual(sorted(byLine.rows.map(({name, place, bytes, count}) => ({line: `${name} ${place}`.trim(), bytes, blocks: count}))), sorted(lines), `${label}: lines`);
  const inUse = segments.flatMap((segment) => segment.blocks).filter((block) => block.state !== 'inactive');
  assert.equal(live[1], inUse.length, `${label}: live allocations`);
}

test('figures at many moments are those of the program', async (context) => {
  await startEngine();
  for (const path of files) {
    await context.test(basename(path), async () => {
      const file = await openFile(basename(path), readFileSync(path));
      const {devices} = await askJson({ask: 'overview', file});
      const recorded = devices.filter((device) => device.events > 0);
      for (const device of recorded)
        for (const state of statesOf(device, Math.ceil(MOMENTS / recorded.length))) await checkMoment(path, file, device, state);
    });
  }
});
