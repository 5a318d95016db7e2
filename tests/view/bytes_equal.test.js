// Pictures, texts and JSON of the engine as WebAssembly have the bytes of the program's: of every snapshot at its automatic
// moment, and of a few at more moments, of each device, with options, and of the columns that a page carries instead of the file. Or of
// the files that the command line names: `node bytes_equal.test.js FILE...`.
import assert from 'node:assert/strict';
import {randomBytes} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {basename, dirname} from 'node:path';
import test from 'node:test';
import {gzipSync} from 'node:zlib';
import {askJson, openBlob, openFile, startEngine} from './engine.js';
import {everySnapshot, named, testdata} from './files.js';
import {carriedBytes, checkSame, deviceWord, native, optionsOf} from './native.js';

const few = ['oom', 'devices_streams', 'gen_2.15_host', 'gen_2.5_annotations', 'segments_only', 'unbalanced', 'keepers_key'].map((name) => `${testdata}/${name}.pickle`);

// A request and the words of the program for the same.
const QUESTIONS = [
  [{ask: 'picture', of: 'flame'}, ['flame', '-o', '-']],
  [{ask: 'picture', of: 'state'}, ['state', '-o', '-']],
  [{ask: 'picture', of: 'explain'}, ['explain', '-o', '-']],
  [{ask: 'text', of: 'explain'}, ['explain']],
  [{ask: 'text', of: 'explain_json'}, ['explain', '--json', '-']],
  [{ask: 'text', of: 'flame'}, ['flame', '--json', '-']],
  [{ask: 'text', of: 'state'}, ['state', '--json', '-']],
  [{ask: 'text', of: 'stats'}, ['stats', '--json', '-', '--at', 'auto']],
  [{ask: 'text', of: 'folded'}, ['export', '--format', 'folded', '--at', 'auto']],
];
const COLOURED = [
  [{ask: 'picture', of: 'flame', color: 'kind', upward: true}, ['flame', '-o', '-', '--color', 'kind', '--upward']],
  [{ask: 'picture', of: 'flame', color: 'line'}, ['flame', '-o', '-', '--color', 'line']],
  [{ask: 'picture', of: 'state', color: 'origin'}, ['state', '-o', '-', '--color', 'origin']],
  [{ask: 'picture', of: 'state', color: 'kind'}, ['state', '-o', '-', '--color', 'kind']],
];
const TIMELINES = [
  [{ask: 'picture', of: 'timeline'}, ['timeline', '-o', '-']],
  [{ask: 'text', of: 'timeline'}, ['timeline', '--json', '-']],
];
// Options of a picture, among them some that it refuses.
const OPTIONS = {
  flame: [{view: 'segments'}, {view: 'segments', group: 'kind'}, {by: 'keeper'}, {by: 'keeper', at: 'peak'}, {group: 'kind,stream', frames: 'user'},
    {frames: 'all'}, {frames: 'some'}, {focus: 'forward'}, {focus: '('}, {hide: 'forward', no_fold: true}, {max_size: '40K'}, {min_percent: 5}, {color: 'keeper'}],
  state: [{color: 'keeper'}, {max_size: 30000}, {max_size: 'small'}],
  explain: [{capacity: '80GiB'}, {capacity: 1}],
  timeline: [{detail: 3}, {view: 'segments', color: 'kind'}, {axis: 'time', color: 'keeper'}, {view: 'all'}],
};
const OTHER_TIMELINES = [
  [{ask: 'picture', of: 'timeline', axis: 'event'}, ['timeline', '-o', '-', '--axis', 'event']],
  [{ask: 'picture', of: 'timeline', axis: 'time'}, ['timeline', '-o', '-', '--axis', 'time']],
  [{ask: 'picture', of: 'timeline', color: 'origin'}, ['timeline', '-o', '-', '--color', 'origin']],
  [{ask: 'picture', of: 'timeline', view: 'segments'}, ['timeline', '-o', '-', '--view', 'segments']],
  [{ask: 'picture', of: 'timeline', view: 'pools', color: 'kind'}, ['timeline', '-o', '-', '--view', 'pools', '--color', 'kind']],
];

// The program's answers: each is compared with that of the file and that of its columns.
const answers = new Map();
function nativeOnce(folder, words) {
  const key = [folder, ...words].join('\0');
  if (!answers.has(key)) answers.set(key, native(folder, words));
  return answers.get(key);
}

const checkAnswer = (request, folder, words) => checkSame(request, words, nativeOnce(folder, words));

async function checkUsual(file, folder, name) {
  for (const [request, words] of [...QUESTIONS, ...TIMELINES]) await checkAnswer({...request, file}, folder, [...words, name]);
}

const at = (words, moment) => [...words.filter((word) => word !== '--at' && word !== 'auto'), '--at', moment];

async function checkMore(file, folder, name) {
  const {devices} = await askJson({ask: 'overview', file});
  const most = Math.max(0, ...devices.map((device) => device.events)), middle = Math.floor(most / 2);
  for (const moment of ['end', 'peak', `event:${middle}`])
    for (const [request, words] of QUESTIONS) await checkAnswer({...request, file, at: moment}, folder, [...at(words, moment), name]);
  for (const [request, words] of [...COLOURED, ...OTHER_TIMELINES]) await checkAnswer({...request, file}, folder, [...words, name]);
  for (const [of, all] of Object.entries(OPTIONS))
    for (const members of all) await checkAnswer({ask: 'picture', of, file, ...members}, folder, [of, '-o', '-', name, ...optionsOf(members)]);
  // A page counts states: the first is before all events.
  if (most > 2 && devices.length === 1)
    for (const [request, words] of TIMELINES) await checkAnswer({...request, file, first: 2, last: middle + 1}, folder, [...words, name, '--from', '1', '--to', String(middle)]);
  const last = devices.at(-1);
  if (devices.length < 2) return;
  for (const [request, words] of [...QUESTIONS, ...COLOURED, ...TIMELINES, ...OTHER_TIMELINES])
    await checkAnswer({...request, file, device: last.device}, folder, [...words, name, '--device', deviceWord(last.device)]);
}

// Opens a file in the engine; null, with a message that the program has as well, where that fails.
async function opened(path) {
  const name = basename(path);
  try {
    return await openFile(name, readFileSync(path));
  } catch (error) {
    assert.ok((native(dirname(path), ['stats', name]).error || '').includes(error.message), `${name}: ${error.message}`);
    return null;
  }
}

async function checkFile(path) {
  const name = basename(path), folder = dirname(path), file = await opened(path);
  if (file === null) return;
  answers.clear();
  await checkUsual(file, folder, name);
  if (named.length === 0 && !few.includes(path)) return;
  await checkMore(file, folder, name);
  const carried = await openFile(name, carriedBytes(folder, name));
  await checkUsual(carried, folder, name);
  await checkMore(carried, folder, name);
}

test('answers have the bytes of the program', async () => {
  await startEngine();
  const wrong = [];
  for (const path of named.length > 0 ? named : everySnapshot()) await checkFile(path).catch((error) => wrong.push(`${path}: ${error.message}`));
  assert.equal(wrong.length, 0, wrong.join('\n'));
});

test('a file that a tab has no room for is refused before it is read', async () => {
  const tooLarge = {size: 2 ** 31, slice: () => assert.fail('it was read')};
  await assert.rejects(openBlob('large.pickle', tooLarge), {message: 'a browser tab opens files of up to 2.14 GB, this one has 2.15 GB; the memviz program opens larger ones'});
});

test('a file that became shorter while it was read is refused', async () => {
  const shrunk = {size: 100, slice: () => new Blob([new Uint8Array(99)])};
  await assert.rejects(openBlob('shrunk.pickle', shrunk), {message: 'the file changed while it was read'});
});

test('a gzip file that is cut short says so, whatever its last bytes promise', async () => {
  const whole = gzipSync(randomBytes(4 << 20)), cut = whole.subarray(0, whole.length - 8);
  cut.writeUInt32LE(0xF0000000, cut.length - 4);
  await assert.rejects(openFile('cut.pickle.gz', cut), /ends before it is complete|damaged/);
});
