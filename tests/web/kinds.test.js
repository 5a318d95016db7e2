// Kinds of memory in a flame graph without its drawing: what boxes hold of each, their words and their colours.
import assert from 'node:assert/strict';
import test from 'node:test';
import {derivedTree} from '../../render/web/flame/derive.js';
import {kindPaint, kindsLines, kindsOf, readKinds} from '../../render/web/flame/kinds.js';
import {readBoxes} from '../../render/web/flame/model.js';
import {titleOf} from '../../render/web/flame/title.js';
import {Weighing} from '../../render/web/flame/weighing.js';
import {element} from './element.js';

const graph = element('g', {'data-kinds': 'activation,by behaviour,kind-activation;workspace,by frames,kind-workspace;unknown,,kind-unknown;activation,by frames,kind-activation'});
const kinds = readKinds(graph);
const weighing = new Weighing(false, kinds, true);

const box = (row, x, width, attributes) => element('g', {
  'data-row': row, 'data-x': x, 'data-width': width, 'data-bytes': width, 'data-blocks': 1, class: 'user', ...attributes,
}, element('title', {}, 'of the file'), element('rect'));
const leaf = (row, x, width, name, held) => box(row, x, width, {'data-role': 'reason', 'data-name': name, 'data-kinds': held});
const boxes = () => readBoxes(element('g', {},
  box(0, 0, 2000, {'data-role': 'group', 'data-name': 'all', class: 'group', 'data-kinds': '0:900 1:600'}),
  leaf(1, 0, 1000, 'one', '0:900 1:100'), leaf(1, 1000, 500, 'two', '1'), leaf(1, 1500, 500, 'free', '')), []);

test('the amounts of a box are read, and one amount is all of it', () => {
  assert.deepEqual(kindsOf(element('g', {'data-kinds': '0:900 1:100', 'data-bytes': 1000})), {k0: 900, k1: 100});
  assert.deepEqual(kindsOf(element('g', {'data-kinds': '2', 'data-bytes': 70})), {k2: 70});
  assert.deepEqual(kindsOf(element('g', {'data-bytes': 70})), {});
});

test('the lines of a tooltip name the largest first, and nothing where all is unknown', () => {
  assert.deepEqual(kindsLines(kinds, {k0: 0, k1: 1024, k2: 0, k3: 0}), ['kind: workspace, by frames']);
  assert.deepEqual(kindsLines(kinds, {k0: 1024, k1: 4096, k2: 512, k3: 256}),
    ['kinds: workspace 4.00 KiB by frames, activation 1.00 KiB by behaviour, unknown 512 B,', 'activation 256 B by frames']);
  assert.deepEqual(kindsLines(kinds, {k0: 0, k1: 0, k2: 5, k3: 0}), []);
});

test('the colour is that of 90 % or more, however it is known', () => {
  const paint = (k0, k1, k2, k3, bytes = k0 + k1 + k2 + k3) => kindPaint(kinds, {k0, k1, k2, k3, bytes}, 'own');
  assert.equal(paint(900, 100, 0, 0), 'kind-activation');
  assert.equal(paint(899, 101, 0, 0), 'kind-several');
  assert.equal(paint(500, 100, 0, 400), 'kind-activation');
  assert.equal(paint(0, 0, 7, 0), 'kind-unknown');
  assert.equal(paint(0, 0, 0, 0, 10), 'own');
  assert.equal(paint(900, 0, 0, 0, 1000), 'own'); // the rest is rounding
});

test('other trees of the same boxes keep their kinds', () => {
  const derived = derivedTree(boxes(), {invert: true}, weighing, 2000);
  assert.deepEqual(derived.map(({label, paint}) => [label.name, paint]),
    [['all', 'group'], ['one', 'kind-activation'], ['free', 'user'], ['two', 'kind-workspace']]);
  assert.deepEqual([derived[0].k0, derived[0].k1], [900, 600]);
  assert.equal(titleOf(derived[1], derived[0], weighing).split('\n').pop(), 'kinds: activation 900 B by behaviour, workspace 100 B by frames');
  assert.equal(weighing.linesOfPart(derived[1]), 4);
});
