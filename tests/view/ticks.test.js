// The round numbers of the curve's axes.
import assert from 'node:assert/strict';
import test from 'node:test';
import {byteTicks, decimalTicks} from '../../view/web/ticks.js';

const MiB = 1 << 20;

test('ticks of bytes are powers of two apart, so that each is round in its unit', () => {
  assert.deepEqual(byteTicks(0, 7.2 * 1024 * MiB, 4), [2, 4, 6].map((gib) => gib * 1024 * MiB));
  assert.deepEqual(byteTicks(0, 213 * MiB, 4), [64, 128, 192].map((mib) => mib * MiB));
  assert.deepEqual(byteTicks(0, 3, 4), [1, 2, 3]);
  assert.deepEqual(byteTicks(0, 0, 4), []);
});

test('ticks of a part of the bytes are round as well', () => {
  assert.deepEqual(byteTicks(100 * MiB, 130 * MiB, 4), [104, 112, 120, 128].map((mib) => mib * MiB));
});

test('ticks of bytes are at most as many as asked for', () => {
  for (let most = 1; most < 1e15; most *= 1.37) {
    const ticks = byteTicks(0, most, 4);
    assert.ok(ticks.length >= 1 && ticks.length <= 4, `${most}: ${ticks}`);
    assert.ok(ticks.at(-1) <= most);
  }
});

test('ticks of events are 1, 2 or 5 times a power of ten apart', () => {
  assert.deepEqual(decimalTicks(-1, 1528, 8), [0, 200, 400, 600, 800, 1000, 1200, 1400]);
  assert.deepEqual(decimalTicks(98, 103, 10), [98, 99, 100, 101, 102, 103]);
  assert.deepEqual(decimalTicks(5, 5, 10), []);
});

test('ticks of events lie within the range and are about as many as asked for', () => {
  for (let last = 3; last < 1e9; last *= 1.7) {
    const ticks = decimalTicks(2, last, 10);
    assert.ok(ticks.every((tick) => tick >= 2 && tick <= last), `${last}: ${ticks}`);
    assert.ok(ticks.length <= 11, `${last}: ${ticks.length}`);
  }
});
