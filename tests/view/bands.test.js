// The bands of the curve: their sum is the live curve, and each is as high as its allocation.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {basename} from 'node:path';
import test from 'node:test';
import {readBands} from '../../view/web/bands.js';
import {askBytes, askDoubles, askJson, openFile, startEngine} from './engine.js';
import {named, realSnapshots, testdata} from './files.js';

const few = ['oom', 'devices_streams', 'training_step', 'gen_2.15_host', 'unbalanced'].map((name) => `${testdata}/${name}.pickle`);
const files = named.length > 0 ? named : [...few, ...realSnapshots()];
const COLUMNS = 300, ROWS = 90, HEADROOM = 1.1;

// The rows of each allocation in a column, from the bottom, and whether they are one run each.
function rowsOf({lives, values, rows}, column) {
  const counts = new Map();
  let last = null;
  for (let i = column * rows; i < (column + 1) * rows && values[i]; last = lives[i], ++i) {
    assert.ok(lives[i] === last || !counts.has(lives[i]), 'a band is in one piece');
    counts.set(lives[i], (counts.get(lives[i]) || 0) + 1);
  }
  return counts;
}

async function checkPart(where, label, by) {
  const request = {...where, by, columns: COLUMNS, axis: 'event'}, curve = await askDoubles({ask: 'curve', ...request});
  const width = curve.length / COLUMNS, columns = Array.from({length: COLUMNS}, (_, i) => curve.subarray(i * width, (i + 1) * width));
  const most = Math.max(1, ...columns.map(([, live]) => live)), rowBytes = Math.ceil((most * HEADROOM) / ROWS);
  const answer = await askBytes({ask: 'bands', ...request, rows: ROWS, bytes_per_row: rowBytes}), bands = readBands(answer, COLUMNS);
  assert.equal(bands.rows, ROWS);
  const sums = new Float64Array(answer, 0, COLUMNS), sizes = new Map();
  for (let column = 0; column < COLUMNS; ++column) {
    const [, live, , ...classes] = columns[column], counts = rowsOf(bands, column);
    const ofClasses = classes.reduce((sum, bytes) => sum + bytes, 0), drawn = [...counts.values()].reduce((sum, rows) => sum + rows, 0);
    assert.equal(sums[column], ofClasses, `${label}: the bytes of the bands in column ${column} are those of its classes`);
    assert.equal(sums[column], live, `${label}: the upper edge in column ${column} is the live curve`);
    assert.ok(Math.abs(drawn - sums[column] / rowBytes) <= 1, `${label}: column ${column} is ${drawn} rows high`);
    for (const [life, rows] of counts) {
      if (!sizes.has(life)) sizes.set(life, (await askJson({ask: 'life', file: where.file, device: where.device, life})).bytes);
      assert.ok(Math.abs(rows - sizes.get(life) / rowBytes) < 1, `${label}: the band of ${life} in column ${column} is ${rows} rows high`);
    }
  }
}

test('the sum of the bands is the live curve', async (context) => {
  await startEngine();
  for (const path of files) {
    await context.test(basename(path), async () => {
      const file = await openFile(basename(path), readFileSync(path)), {devices} = await askJson({ask: 'overview', file});
      for (const {device, events} of devices.filter((one) => one.events > 0))
        for (const by of ['line', 'kind', 'origin'])
          for (const [first, last] of [[0, events], [Math.floor(events / 3), Math.floor(events / 2)]])
            await checkPart({file, device, first, last}, `${basename(path)}, device ${device}, ${first} to ${last}, by ${by}`, by);
    });
  }
});
