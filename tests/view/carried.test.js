// The bytes that a page holds as text, against another way to write them, and the pages of the program.
import assert from 'node:assert/strict';
import test from 'node:test';
import {gunzipSync} from 'node:zlib';
import {bytesOfText} from '../../view/web/carried.js';
import {carriedBytes, native} from './native.js';
import {testdata} from './files.js';

const ALPHABET = [...Array(94).keys()].map((i) => String.fromCharCode(33 + i)).filter((letter) => !'&<>'.includes(letter));

function textOf(bytes) {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,13}/g) || []).map((group) => {
    const number = parseInt(group.length > 6 ? group.padEnd(13, '0') : group.padEnd(6, '0'), 2);
    return group.length > 6 ? ALPHABET[Math.floor(number / 91)] + ALPHABET[number % 91] : ALPHABET[number];
  }).join('');
}

test('bytes of every length return', () => {
  for (let size = 0; size < 400; ++size) {
    const bytes = Uint8Array.from({length: size}, (_, i) => (size * 31 + i * i * 7) & 255);
    for (const one of [bytes, bytes.map(() => 0), bytes.map(() => 255)]) assert.deepEqual(bytesOfText(textOf(one)), one, `${size} bytes`);
  }
});

test('the program writes such texts, of ASCII that HTML needs not escape', (context) => {
  if (native(testdata, ['view', '--empty', '-o', '-']).error) return context.skip('this memviz has no page');
  for (const name of ['oom.pickle', 'before.pickle', 'after.pickle', 'training_step.pickle', 'run_main.pickle', 'run_branch.pickle']) {
    const packed = carriedBytes(testdata, name), unpacked = gunzipSync(packed);
    assert.equal(packed.readUInt32LE(packed.length - 4), unpacked.length); // the last bytes of gzip
    const {text} = native(testdata, ['view', name, '-q', '-o', '-']);
    const written = text.match(/class="snapshot"[^>]*>([^<]*)</)[1];
    assert.equal(written, textOf(packed));
    assert.match(written, /^[!-%'-;=?-~]*$/);
  }
});
