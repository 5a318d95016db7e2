// The engine's answer about the ranks of a job has the bytes of `memviz ranks FOLDER --json`: for files as they are, and
// for those that a page of the folder carries.
import assert from 'node:assert/strict';
import {copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test from 'node:test';
import {snapshotsOf as entriesOf} from '../../view/web/archive.js';
import {bytesOfText} from '../../view/web/carried.js';
import {askJson, askText, openAsPart, openBlob, startEngine} from './engine.js';
import {testdata} from './files.js';
import {native} from './native.js';

const top = mkdtempSync(join(tmpdir(), 'memviz-ranks-'));
process.on('exit', () => rmSync(top, {recursive: true}));

// Returns a folder with these files of testdata/, by their names there.
function folderOf(name, files) {
  mkdirSync(join(top, name));
  for (const [own, from] of Object.entries(files)) {
    if (from === null) writeFileSync(join(top, name, own), 'no snapshot');
    else copyFileSync(join(testdata, from), join(top, name, own));
  }
  return name;
}

const main = (ranks) => Object.fromEntries(ranks.map((rank) => [`rank${rank}.pickle`, 'run_main.pickle']));
const JOBS = {
  one_stands_out: {...main([0, 1, 3]), 'rank2.pickle': 'run_branch.pickle'},
  out_of_memory: {...main([0, 1, 2]), 'rank3.pickle': 'oom.pickle', 'rank9.pickle': null},
  of_two: {'rank0.pickle': 'before.pickle', 'rank1.pickle': 'after.pickle'},
  several_inside: {'by_name.pickle': 'containers/by_name.pickle', 'gathered_list.json': 'containers/gathered_list.json', 'rank7.pickle': 'run_main.pickle'},
  archives: {'job.zip': 'containers/ranks.zip', 'rank2.zip': 'containers/before.zip', 'job.tar': 'containers/ranks.tar', 'rank3.pickle.tar.gz': 'containers/before.tar.gz'},
};

const filesOf = (folder) => readdirSync(join(top, folder)).sort().map((name) => `${folder}/${name}`);

async function answerFor(files) {
  await askText({ask: 'new_job'});
  for (const {name, read} of files) await openAsPart(name, await read());
  return askText({ask: 'ranks'});
}

async function unpackedFiles(folder) {
  const found = [];
  for (const name of filesOf(folder)) found.push(...(await entriesOf({name, blob: new Blob([readFileSync(join(top, name))])})));
  return found;
}

test('the ranks of a folder have the bytes of the program', async () => {
  await startEngine();
  for (const [name, files] of Object.entries(JOBS)) {
    const folder = folderOf(name, files), {text} = native(top, ['ranks', folder, '--json', '-']);
    assert.equal(await answerFor(await unpackedFiles(folder)), text, name);
  }
});

test('what a page of a folder carries gives the same ranks', async () => {
  for (const folder of ['one_stands_out', 'of_two']) {
    const {text: page} = native(top, ['view', folder, '-q', '-o', '-']);
    const carried = [...page.matchAll(/class="snapshot" data-name="([^"]*)" data-job="">([^<]*)</g)].map(([, name, bytes]) => ({name, read: async () => new Blob([bytesOfText(bytes)])}));
    assert.deepEqual(carried.map(({name}) => name), filesOf(folder));
    assert.equal(await answerFor(carried), native(top, ['ranks', folder, '--json', '-']).text, folder);
  }
});

test('the names of parts say which of several snapshots they are, and each can be opened', async () => {
  await askText({ask: 'new_job'});
  const blob = new Blob([readFileSync(join(testdata, 'containers/by_name.pickle'))]);
  const parts = await openAsPart('by_name.pickle', blob);
  assert.deepEqual(parts, ["by_name.pickle['rank_0']['state']", "by_name.pickle['rank_1']['state']"]);
  await assert.rejects(openBlob('by_name.pickle', blob), /holds 2 snapshots/);
  const peaks = [];
  for (const part of parts) {
    const file = await openBlob('by_name.pickle', blob, part.slice('by_name.pickle'.length)), {devices} = await askJson({ask: 'overview', file});
    peaks.push(devices[0].peak_bytes);
  }
  assert.deepEqual(peaks, JSON.parse(await askText({ask: 'ranks'})).ranks.map(({peak_bytes: bytes}) => bytes));
});
