// The snapshots that the page finds in an archive.
import assert from 'node:assert/strict';
import test from 'node:test';
import {gzipSync} from 'node:zlib';
import {snapshotsOf} from '../../view/web/archive.js';

const BLOCK = 512;

function entry(name, content, size = content.length.toString(8).padStart(11, '0'), type = '0') {
  const head = Buffer.alloc(BLOCK), body = Buffer.alloc(Math.ceil(content.length / BLOCK) * BLOCK);
  head.write(name);
  head.write(size, 124, 'latin1');
  head.write(type, 156);
  body.write(content);
  return Buffer.concat([head, body]);
}

const found = (...parts) => snapshotsOf({name: 'job.tar', blob: new Blob([Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)])])});

test('the snapshots of a tar archive have their paths and contents', async () => {
  const entries = await found(entry('run/rank0.pickle', 'first'), entry('run/notes.txt', 'no'), entry('run/rank1.pickle', 'second'));
  assert.deepEqual(entries.map((one) => one.name), ['job.tar/run/rank0.pickle', 'job.tar/run/rank1.pickle']);
  assert.deepEqual(await Promise.all(entries.map(async (one) => (await one.read()).text())), ['first', 'second']);
});

test('a size that is no octal number is refused', async () => {
  for (const size of ['-0000001000', '\x80\x00\x00\x00\x00', '9999', '', '7e3'])
    await assert.rejects(found(entry('rank0.pickle', 'first', size)), /tar archive is damaged/, JSON.stringify(size));
});

test('what follows the last entry is not read', async () => {
  const entries = await found(entry('rank0.pickle', 'first'), Buffer.alloc(BLOCK), entry('rank1.pickle', 'second'));
  assert.deepEqual(entries.map((one) => one.name), ['job.tar']);
});

test('a record before an entry has its whole name', async () => {
  const path = `run/${'long/'.repeat(30)}läufe_rank0.pickle`, record = ` path=${path}\n`, size = Buffer.byteLength(record) + 3;
  const entries = await found(entry('PaxHeader', `${size}${record}`, size.toString(8).padStart(11, '0'), 'x'), entry('run/long/l?ufe.pickle', 'first'), entry('rank1.pickle', 'second'));
  assert.deepEqual(entries.map((one) => one.name), [`job.tar/${path}`, 'job.tar/rank1.pickle']);
});

test('an archive that unpacks beyond measure is refused', async () => {
  const bomb = new Blob([gzipSync(Buffer.alloc(100 << 20), {level: 9})]);
  await assert.rejects(snapshotsOf({name: 'zeros.tar.gz', blob: bomb}), /a thousand times its size/);
});
