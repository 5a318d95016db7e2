// A flame graph without its drawing: boxes, other trees of them, their weights and positions.
import assert from 'node:assert/strict';
import test from 'node:test';
import {readFrames} from '../../render/web/core/frames.js';
import {stackText} from '../../render/web/flame/copy.js';
import {derivedTree} from '../../render/web/flame/derive.js';
import {heightOf, isNarrow, layOutTree, tornPath} from '../../render/web/flame/layout.js';
import {readBoxes, readGeometry} from '../../render/web/flame/model.js';
import {fitMarkedLabel, marksOf, tellApart} from '../../render/web/flame/siblings.js';
import {titleOf} from '../../render/web/flame/title.js';
import {matchedTotals} from '../../render/web/flame/totals.js';
import {changePaint, Weighing} from '../../render/web/flame/weighing.js';
import {element} from './element.js';

const KIB = 1024;
const frames = readFrames([
  element('f', {n: 'train', p: 'train.py:1', c: 'user'}, 'train\n/app/train.py:1'),
  element('f', {n: 'walk', p: 'tree.py:7', c: 'user'}, 'walk\n/app/tree.py:7'),
  element('f', {n: 'walk', p: 'tree.py:9', c: 'user'}, 'walk\n/app/tree.py:9'),
  element('f', {n: 'at::empty', p: '', c: 'torch'}, 'at::empty'),
]);

// A box of the file: what frames it has, at which row, from where to where.
const box = (row, x, width, attributes) => element('g', {
  'data-row': row, 'data-x': x, 'data-width': width, 'data-bytes': width, 'data-blocks': 1, class: 'user', ...attributes,
}, element('title', {}, 'of the file'), element('rect'));

// all > train > (walk > walk > at::empty, at::empty), and one stack with no frames of its own.
const plainBoxes = () => readBoxes(element('g', {},
  box(0, 0, 100 * KIB, {'data-role': 'group', 'data-name': 'stream 0', class: 'group'}),
  box(1, 0, 90 * KIB, {'data-frames': '0'}),
  box(2, 0, 60 * KIB, {'data-frames': '1'}),
  box(3, 0, 60 * KIB, {'data-frames': '2'}),
  box(4, 0, 60 * KIB, {'data-frames': '3', class: 'torch'}),
  box(2, 60 * KIB, 30 * KIB, {'data-frames': '3', class: 'torch'}),
  box(1, 90 * KIB, 10 * KIB, {'data-frames': '3', class: 'torch'})), frames);

const plain = new Weighing(false), compared = new Weighing(true);
const names = (boxes) => boxes.map(({label}) => label.name);
const derived = (options) => derivedTree(plainBoxes(), options, plain, 100 * KIB);

// Whatever is drawn, children have the bytes of their parent, except for what ends in it.
function checkConserved(boxes) {
  for (const {children, bytes, x, width} of boxes) {
    assert.ok(children.reduce((sum, child) => sum + child.bytes, 0) <= bytes);
    for (const child of children) assert.ok(child.x >= x && child.x + child.width <= x + width);
  }
}

test('the geometry of the file is read', () => {
  const geometry = readGeometry(element('g', {'data-units': 5, 'data-width': 852, 'data-upward': ''}));
  assert.deepEqual([geometry.units, geometry.width, geometry.upward, geometry.rows], [5, 852, true, 0]);
});

test('boxes in the order of a walk are a tree', () => {
  const boxes = plainBoxes();
  assert.deepEqual(boxes.map(({parent}) => boxes.indexOf(parent)), [-1, 0, 1, 2, 3, 1, 0]);
  assert.deepEqual(boxes.map(({end}) => end), [6, 5, 4, 4, 4, 5, 6]);
  assert.equal(boxes[0].steps[0].isGroup, true);
  assert.equal(boxes[1].steps[0], frames[0]);
  assert.equal(boxes[1].title, 'of the file');
  assert.equal(boxes[1].element.querySelector('title'), null);
  checkConserved(boxes);
});

test('a folded run has a box for all of its frames', () => {
  const [run] = readBoxes(element('g', {}, box(0, 0, KIB, {'data-frames': '0 1 2', 'data-name': '⋯ 3 frames', 'data-place': 'to walk'})), frames);
  assert.deepEqual(run.run, frames.slice(0, 3));
  assert.deepEqual(run.label, {name: '⋯ 3 frames', place: 'to walk', note: '', brief: '⋯ 3'});
});

test('inverted, what allocated comes first, and its callers below', () => {
  const boxes = derived({invert: true});
  assert.deepEqual(names(boxes), ['stream 0', 'at::empty', 'walk', 'walk', 'train', 'train']);
  assert.deepEqual(boxes.map(({bytes}) => bytes / KIB), [100, 100, 60, 60, 60, 30]);
  checkConserved(boxes);
});

test('of a recursion the innermost call is kept', () => {
  const boxes = derived({collapse: true});
  assert.deepEqual(names(boxes), ['stream 0', 'train', 'walk', 'at::empty', 'at::empty', 'at::empty']);
  assert.equal(boxes[2].label.place, 'tree.py:9');
  checkConserved(boxes);
});

test('without frames of libraries, stacks of nothing else say so', () => {
  const boxes = derived({hide: true});
  assert.deepEqual(names(boxes), ['stream 0', 'train', 'walk', 'walk', '<no frame of your own>']);
  assert.deepEqual(boxes.map(({bytes}) => bytes / KIB), [100, 90, 60, 60, 10]);
  checkConserved(boxes);
});

test('what is too narrow to draw is one box, and its bytes are kept', () => {
  const children = Array.from({length: 50}, (_, i) => box(1, 1000 + i, 1, {'data-role': 'group', 'data-name': `g${i}`}));
  const all = readBoxes(element('g', {}, box(0, 0, 1050 * KIB, {'data-role': 'group', 'data-name': 'all'}), ...children), frames);
  const boxes = derivedTree(all, {invert: true}, plain, 1050 * KIB);
  assert.deepEqual(names(boxes), ['all', '<smaller: 50 stacks>']);
  assert.equal(boxes[1].bytes, 50);
});

test('a title shows the bytes, and their share', () => {
  const boxes = derived({invert: true});
  assert.equal(titleOf(boxes[5], boxes[0], plain), ['train', '/app/train.py:1', '30.0 KiB (30,720 bytes)', '30.0 % of all, 30.0 % of the box above', '1 block'].join('\n'));
  assert.equal(titleOf(plainBoxes()[1], null, plain), 'of the file');
});

test('a comparison weighs both sides', () => {
  const weight = (before, after, bytes = Math.max(before, after)) => ({before, after, bytes, beforeBlocks: 1, afterBlocks: 2});
  for (const [before, after, note, paint] of [
    [0, KIB, '+1.00 KiB', 'added'], [KIB, 0, '−1.00 KiB', 'removed'], [KIB, KIB, '1.00 KiB', 'same'],
    [KIB, 2 * KIB, '+1.00 KiB', 'grown'], [100 * KIB, 99 * KIB, '−1.00 KiB', 'shrunk-little']]) {
    assert.equal(compared.noteOf(weight(before, after)), note);
    assert.equal(changePaint(weight(before, after)), paint);
  }
  assert.equal(compared.noteOf(weight(KIB, KIB, 2 * KIB)), '±0 B'); // others came, as many went
  assert.deepEqual(compared.linesOf(weight(KIB, 2 * KIB), []), ['before: 1.00 KiB (1,024 bytes), 1 block',
    'after: 2.00 KiB (2,048 bytes), 2 blocks', 'change: +1.00 KiB, 100 % of the size before', 'width is the larger side of each stack']);
  assert.equal(compared.blocksOf(weight(1, 1)), 2);
  assert.equal(plain.paintOf(weight(1, 2), 'user'), 'user');
});

test('weights add up, and come apart', () => {
  const sum = plain.add(plain.nothing(), {units: 3, bytes: 4, blocks: 1});
  assert.deepEqual(plain.add(sum, {units: 1, bytes: 1, blocks: 1}, -1), {units: 2, bytes: 3, blocks: 0});
});

test('what is zoomed to takes the width, with all above it', () => {
  const boxes = plainBoxes();
  assert.equal(layOutTree(boxes, {zoom: boxes[0], focus: null}, 1000), 5);
  assert.deepEqual(boxes.map(({row}) => row), [0, 1, 2, 3, 4, 2, 1]);
  assert.deepEqual(boxes[5].span, {x: 600, width: 300});
  layOutTree(boxes, {zoom: boxes[5], focus: null}, 1000);
  assert.deepEqual(boxes.map(({span}) => span && span.width), [1000, 1000, null, null, null, 1000, null]);
});

test('an opened run takes a row for each frame, and what is narrow is dust unless it has the focus', () => {
  const boxes = plainBoxes();
  boxes[1].parts = [{}, {}, {}];
  assert.equal(layOutTree(boxes, {zoom: boxes[0], focus: boxes[6]}, 4), 7);
  assert.equal(heightOf(boxes[1]), 3);
  assert.deepEqual(boxes.map(({row}) => row), [0, 1, 4, 5, 6, 4, 1]);
  assert.deepEqual([boxes[6].isDust, isNarrow(boxes[6], null)], [false, true]);
});

test('a torn box is torn inside of itself', () => {
  const [, x] = /^M([\d.]+) /.exec(tornPath(10, 0, 100, 16));
  assert.ok(x > 10 && x < 110);
  assert.match(tornPath(10, 0, 100, 16), /z$/);
});

test('a match inside a match counts once', () => {
  const boxes = plainBoxes();
  for (const i of [2, 3, 6]) boxes[i].hit = true;
  assert.deepEqual(matchedTotals(boxes), {bytes: 70 * KIB, before: 0, after: 0});
});

test('boxes that would show the same words get what distinguishes them', () => {
  const parent = {};
  const siblings = ['/app/a/init.py:3', '/app/b/init.py:3'].map((path) => ({
    parent, parts: null, columns: 30, shown: 'build', textElement: {}, label: {name: 'build', place: 'init.py:3', note: ''},
    steps: [{isFrame: true, label: {name: 'build', place: 'init.py:3'}, heading: `build\n${path}`}],
  }));
  assert.deepEqual(marksOf(siblings), ['a/init.py:3', 'b/init.py:3']);
  tellApart(siblings);
  assert.deepEqual(siblings.map(({shown}) => shown), ['build a/init.py:3', 'build b/init.py:3']);
  assert.equal(fitMarkedLabel({name: '_init_group', note: ''}, ':171', 9), '_in… :171');
  assert.equal(fitMarkedLabel({name: '_init_group', note: ''}, ':171', 5), ':171');
});

test('a stack to copy starts with its levels, and is the same inverted', () => {
  const words = ['stream 0', 'train  /app/train.py:1', 'walk  /app/tree.py:7', 'walk  /app/tree.py:9', 'at::empty', '60.0 KiB (61,440 bytes), 1 block', ''].join('\n');
  assert.equal(stackText(plainBoxes()[4], plain, false), words);
  const inverted = derived({invert: true});
  assert.equal(stackText(inverted[4], plain, true), words);
});
