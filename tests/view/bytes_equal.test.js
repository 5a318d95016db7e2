// Pictures, texts and JSON of the engine as WebAssembly have the bytes of the program's, of a file and of the columns of it
// that a page carries. Files of testdata/, or those that the command line names: `node bytes_equal.test.js FILE...`.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {basename, dirname, resolve} from 'node:path';
import test from 'node:test';
import {fileURLToPath} from 'node:url';
import {askJson, openBlob, openFile, startEngine} from './engine.js';
import {carriedBytes, checkSame, native} from './native.js';

const testdata = fileURLToPath(new URL('../../testdata', import.meta.url));
const few = ['oom', 'devices_streams', 'gen_2.15_host', 'gen_2.5_annotations', 'segments_only', 'unbalanced'];
const named = process.argv.slice(2);
const files = named.length > 0 ? named.map((file) => resolve(file)) : few.map((name) => `${testdata}/${name}.pickle`);

// A request and the words of the program for the same.
const QUESTIONS = [
  [{ask: 'picture', of: 'flame'}, ['flame', '-o', '-']],
  [{ask: 'picture', of: 'flame', color: 'kind', upward: true}, ['flame', '-o', '-', '--color', 'kind', '--upward']],
  [{ask: 'picture', of: 'state'}, ['state', '-o', '-']],
  [{ask: 'picture', of: 'state', color: 'line'}, ['state', '-o', '-', '--color', 'line']],
  [{ask: 'picture', of: 'explain'}, ['explain', '-o', '-']],
  [{ask: 'text', of: 'explain'}, ['explain']],
  [{ask: 'text', of: 'explain_json'}, ['explain', '--json', '-']],
  [{ask: 'text', of: 'flame'}, ['flame', '--json', '-']],
  [{ask: 'text', of: 'state'}, ['state', '--json', '-']],
  [{ask: 'text', of: 'stats'}, ['stats', '--json', '-']],
  [{ask: 'text', of: 'folded'}, ['export', '--format', 'folded']],
];
const TIMELINES = [
  [{ask: 'picture', of: 'timeline'}, ['timeline', '-o', '-']],
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

const wordOf = (device) => (device.device === 0x10000 ? 'host' : String(device.device));

async function checkAnswers(file, folder, name) {
  const {devices} = await askJson({ask: 'overview', file});
  const middle = Math.floor(Math.max(0, ...devices.map((device) => device.events)) / 2);
  for (const at of ['end', 'peak', 'auto', `event:${middle}`])
    for (const [request, words] of QUESTIONS) await checkAnswer({...request, file, at}, folder, [...words, name, '--at', at]);
  for (const [request, words] of TIMELINES) await checkAnswer({...request, file}, folder, [...words, name]);
  const last = devices.at(-1);
  if (devices.length < 2) return;
  for (const [request, words] of [...QUESTIONS, ...TIMELINES])
    await checkAnswer({...request, file, device: last.device}, folder, [...words, name, '--device', wordOf(last), ...(words[0] === 'timeline' ? [] : ['--at', 'auto'])]);
}

test('answers have the bytes of the program', async (context) => {
  await startEngine();
  for (const path of files) {
    const name = basename(path), folder = dirname(path);
    await context.test(name, async () => {
      answers.clear();
      let file;
      try {
        file = await openFile(name, readFileSync(path));
      } catch (error) {
        assert.ok((native(folder, ['stats', name]).error || '').includes(error.message), `${name}: ${error.message}`);
        return;
      }
      await checkAnswers(file, folder, name);
      await checkAnswers(await openFile(name, carriedBytes(folder, name)), folder, name);
    });
  }
});

test('a file that a tab has no room for is refused before it is read', async () => {
  const tooLarge = {size: 2 ** 31, slice: () => assert.fail('it was read')};
  await assert.rejects(openBlob('large.pickle', tooLarge), {message: 'a browser tab opens files of up to 2.14 GB, this one has 2.15 GB; the memviz program opens larger ones'});
});
