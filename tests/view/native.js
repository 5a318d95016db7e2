// Answers of the program for a file of a folder, where it is called by its name alone.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {bytesOfText} from '../../view/web/carried.js';
import {askText} from './engine.js';

const {MEMVIZ} = process.env;

// The value of --device for the number of a device.
export const deviceWord = (device) => (device === 0x10000 ? 'host' : String(device));

// Members of a request as options of the program.
export const optionsOf = (members) => Object.entries(members).map(([name, value]) => `--${name.replaceAll('_', '-')}${value === true ? '' : `=${value}`}`);

// Standard output, or what keeps the program from an answer.
export function native(folder, args) {
  const run = spawnSync(MEMVIZ, args, {cwd: folder, maxBuffer: 1 << 30});
  if (run.error) throw run.error;
  return run.status === 0 ? {text: run.stdout.toString()} : {error: run.stderr.toString()};
}

// The bytes of a snapshot as its page carries them: gzip of its columns.
export function carriedBytes(folder, name) {
  const {text, error} = native(folder, ['view', name, '-q', '-o', '-']);
  if (error) throw new Error(error);
  return Buffer.from(bytesOfText(text.match(/class="snapshot"[^>]*>([^<]*)</)[1]));
}

// The engine answers with the same bytes, or with a message that the program has as well.
export async function checkSame(request, words, wanted) {
  let answer;
  try {
    answer = await askText(request);
  } catch (error) {
    assert.ok(wanted.error, `${words.join(' ')}: only the engine says ${error.message}`);
    assert.ok(wanted.error.includes(error.message), `${words.join(' ')}: ${wanted.error} is not ${error.message}`);
    return;
  }
  assert.ok(wanted.text !== undefined, `${words.join(' ')}: ${wanted.error}`);
  if (answer === wanted.text) return;
  const at = [...answer].findIndex((letter, i) => letter !== wanted.text[i]);
  assert.fail(`${words.join(' ')}: differs at ${at}: ${answer.slice(at - 40, at + 80)} <-> ${wanted.text.slice(at - 40, at + 80)}`);
}
