// Comparisons of the engine have the bytes of `memviz compare`, as JSON and as a picture: of each two neighbours among the
// files of testdata/ and the real snapshots, or of each two that the command line names: `node compare.test.js FILE...`.
import assert from 'node:assert/strict';
import {mkdtempSync, readFileSync, rmSync, symlinkSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, join} from 'node:path';
import test from 'node:test';
import {askJson, openFile, startEngine} from './engine.js';
import {named, realSnapshots, snapshotsOf, testdata} from './files.js';
import {checkSame, deviceWord, native, optionsOf} from './native.js';

// Pairs that hold different things: two processes, and host memory on one side only.
const SPECIAL = [['cpp_writer_long_batch', 'after'], ['gen_2.15_host', 'after'], ['after', 'gen_2.15_host']];

// Options of a comparison, among them one that it refuses.
const OPTIONS = [{match: 'line'}, {match: 'function', frames: 'user', upward: true}, {group: 'kind,stream'}, {view: 'segments', no_fold: true}, {by: 'keeper'}];

function neighbours(paths) {
  return paths.map((path, i) => [path, paths[(i + 1) % paths.length]]);
}

function pairsToCompare() {
  if (named.length > 0) return neighbours(named);
  const special = SPECIAL.map((names) => names.map((name) => join(testdata, `${name}.pickle`)));
  return [...special, ...neighbours(snapshotsOf(testdata)), ...neighbours(realSnapshots())];
}

// The program is called with names alone, because the page knows no folders: each pair has a folder of links.
const linked = mkdtempSync(join(tmpdir(), 'memviz-compare-'));
process.on('exit', () => rmSync(linked, {recursive: true}));

// Returns the number of a file in the engine; null for other files than snapshots.
const opened = new Map();
async function fileOf(path) {
  if (!opened.has(path)) opened.set(path, await openFile(basename(path), readFileSync(path)).catch(() => null));
  return opened.get(path);
}

async function checkPair(paths, isSpecial) {
  const [file, other] = [await fileOf(paths[0]), await fileOf(paths[1])];
  if (file === null || other === null) return;
  const folder = mkdtempSync(join(linked, 'pair-'));
  for (const path of paths) symlinkSync(path, join(folder, basename(path)));
  const check = (request, words) => {
    const call = ['compare', ...paths.map((path) => basename(path)), ...words];
    return checkSame({file, other, ...request}, call, native(folder, call));
  };
  await check({ask: 'text', of: 'compare'}, ['--json', '-']);
  await check({ask: 'text', of: 'compare', before: 'end', after: 'end'}, ['--json', '-', '--at', 'end']);
  await check({ask: 'compare'}, ['-o', '-']);
  if (isSpecial)
    for (const members of OPTIONS) await check({ask: 'compare', ...members}, ['-o', '-', ...optionsOf(members)]);
  const {devices} = await askJson({ask: 'overview', file});
  if (devices.length < 2) return;
  const {device} = devices.at(-1);
  await check({ask: 'text', of: 'compare', device}, ['--json', '-', '--device', deviceWord(device)]);
}

test('comparisons have the bytes of the program', async () => {
  await startEngine();
  const wrong = [];
  for (const [i, paths] of pairsToCompare().entries()) await checkPair(paths, i < SPECIAL.length).catch((error) => wrong.push(error.message));
  assert.equal(wrong.length, 0, wrong.join('\n'));
});
