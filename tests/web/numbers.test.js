import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import test from 'node:test';
import {countOf, exactBytes, fixed, formatBytes, formatChange, formatCount, formatDuration, formatPercent} from '../../render/web/core/numbers.js';

const vectors = JSON.parse(readFileSync(new URL('../../testdata/number_vectors.json', import.meta.url)));
const formats = {
  bytes: formatBytes,
  exact_bytes: exactBytes,
  durations_us: formatDuration,
  counts: formatCount,
  percents: formatPercent,
  changes: (change, before) => formatChange(change, before, 'before'),
};

test('numbers are written as C++ writes them', () => {
  assert.deepEqual(Object.keys(vectors).sort(), Object.keys(formats).sort());
  for (const [name, rows] of Object.entries(vectors))
    for (const row of rows) assert.equal(formats[name](...row.slice(0, -1)), row.at(-1), `${name} ${row}`);
});

test('what is exactly halfway goes to the even digit, and nothing else does', () => {
  assert.equal(fixed(0.125, 2), '0.12');
  assert.equal(fixed(0.375, 2), '0.38');
  assert.equal(fixed(2.5, 0), '2');
  assert.equal(fixed(99.5, 0), '100');
  assert.equal(fixed(1.005, 2), (1.005).toFixed(2)); // a little less than it looks
  assert.equal(fixed(8.345, 2), '8.35'); // a little more
});

test('one has no plural', () => {
  assert.equal(countOf(1, 'block'), '1 block');
  assert.equal(countOf(2140, 'block'), '2,140 blocks');
});
