// The cases of text_fit_test.cpp.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import test from 'node:test';
import {brokenLines} from '../../render/web/core/lines.js';
import {columnsOf, cut, cutName, cutPlace, cutStart, fitLabel, fitLineLabel, rowLabel, sansWidth, UNIT} from '../../render/web/core/text.js';

const vectors = JSON.parse(readFileSync(new URL('../../testdata/width_vectors.json', import.meta.url)));

test('widths are those that C++ counts with', () => {
  assert.ok(vectors.picture.length > 10 && vectors.sans_hundredths_of_em.length > 5);
  for (const [string, columns] of vectors.picture) assert.equal(columnsOf(string), columns, string);
  for (const [string, width] of vectors.sans_hundredths_of_em) assert.equal(Math.round(sansWidth(string, 100)), width, string);
});

test('a text is cut at its end, or at its start', () => {
  assert.equal(cut('forward', 7), 'forward');
  assert.equal(cut('forward', 6), 'forwa…');
  assert.equal(cut('forward', 2), '');
  assert.equal(cut('模型模型', 6), '模型…');
  assert.equal(cutStart('/home/me/model.py', 10), '…/model.py');
  assert.equal(cutStart('model.py', 8), 'model.py');
});

test('a line of a tooltip keeps its line number', () => {
  const line = 'forward  /home/me/models/transformer.py:152 (your code)';
  for (const [columns, form] of [[55, line], [54, 'forward  …ome/me/models/transformer.py:152 (your code)'], [40, 'forward  …transformer.py:152 (your code)'],
                                 [34, 'forw… …nsformer.py:152 (your code)'], [20, 'forward  /home/me/m…']])
    assert.equal(cutPlace(line, columns), form);
  assert.equal(cutPlace('torch::autograd::generated::VariableType::linear model.py:9', 24), 'torch::autog… model.py:9');
  assert.equal(cutPlace('/home/me/models/transformer.py:152 (torch)', 30), '…ls/transformer.py:152 (torch)');
  assert.equal(cutPlace('called from there: at::detail::empty, and 9 frames within it', 30), 'called from there: at::detail…');
});

test('a name loses its outer parts first', () => {
  assert.equal(cutName('torch::autograd::Node::apply', 14), '…Node::apply');
  assert.equal(cutName('torch::autograd::Node::apply', 7), '…apply');
  assert.equal(cutName('torch::autograd::evaluate_function', 8), 'evaluat…');
  assert.equal(cutName('segment 0x7f064c000000', 10), '…64c000000');
  assert.equal(cutName('forward', 5), 'forw…');
});

test('a label takes the longest form that fits', () => {
  const label = {name: 'forward', place: 'model.py:41', note: '19.5 MiB'};
  for (const [columns, form] of [[40, 'forward model.py:41  19.5 MiB'], [28, 'forward model.py:41'], [21, 'forward model.py:41'], [18, 'forward :41'], [11, 'forward :41'], [10, 'forwa… :41'], [9, 'forw… :41'], [8, 'forward'], [6, 'forwa…'], [5, 'forw…'], [4, '']])
    assert.equal(fitLabel(label, columns), form);
  const far = {...label, place: 'models/transformer.py:41'};
  for (const [columns, form] of [[32, 'forward models/transformer.py:41'], [31, 'forward :41  19.5 MiB'], [20, 'forward :41']])
    assert.equal(fitLabel(far, columns), form);
  const known = {...label, source: 'h = f(x)'};
  assert.equal(fitLabel(known, 40), 'forward model.py:41  h = f(x)  19.5 MiB');
  assert.equal(fitLabel(known, 38), 'forward model.py:41  19.5 MiB');
  const changed = {...label, note: '−19.5 MiB'};
  for (const [columns, form] of [[30, 'forward model.py:41  −19.5 MiB'], [22, 'forward :41  −19.5 MiB'], [21, 'forward  −19.5 MiB'], [17, '− forward :41'], [12, '− forwa… :41'], [10, '− forward'], [9, '− forward'], [8, '− forwa…'], [6, '−'], [3, '−']])
    assert.equal(fitLabel(changed, columns), form);
  const run = {name: '⋯ 28 frames', place: 'to run_code', note: '', brief: '⋯ 28'};
  for (const [columns, form] of [[30, '⋯ 28 frames to run_code'], [21, '⋯ 28 frames'], [22, '⋯ 28 frames to run_c…'], [11, '⋯ run_code'], [10, '⋯ 28'], [7, '⋯ 28'], [4, '']])
    assert.equal(fitLabel(run, columns), form);
  const state = {name: 'free (inactive)', place: '', note: '4.67 GiB', brief: 'free'};
  for (const [columns, form] of [[25, 'free (inactive)  4.67 GiB'], [24, 'free  4.67 GiB'], [13, 'free'], [3, '']])
    assert.equal(fitLabel(state, columns), form);
});

test('of several lines of a function, the line is kept to the last', () => {
  const label = {name: 'forward', place: 'model.py:41', note: '19.5 MiB'};
  for (const [columns, form] of [[28, 'forward model.py:41'], [20, 'forward model.py:41'], [18, 'forward :41'], [9, 'forw… :41'], [8, ':41'], [3, ':41'], [2, '']])
    assert.equal(fitLineLabel(label, columns), form);
  assert.equal(fitLineLabel({...label, name: 'f'}, 5), 'f :41');
  const library = {name: 'cuMemAlloc_v2', place: 'libcuda.so.1', note: ''};
  for (const [columns, form] of [[26, 'cuMemAlloc_v2 libcuda.so.1'], [25, 'cuMemAlloc_v2'], [8, 'cuMemAl…'], [4, '']])
    assert.equal(fitLineLabel(library, columns), form);
});

test('in a row the place stays whole', () => {
  assert.equal(rowLabel('forward', 'model.py:41', 30), 'forward model.py:41');
  assert.equal(rowLabel('evaluate_function', 'model.py:41', 22), 'evaluate_… model.py:41');
  assert.equal(rowLabel('evaluate_function', 'model.py:41', 12), 'evaluate_fu…');
});

test('the width in a sans-serif font is no less than what DejaVu Sans needs', () => {
  for (const [letter, advance] of [['+', 838], ['#', 838], ['&', 780], ['%', 950], ['m', 974]])
    assert.ok(sansWidth(letter, 1000) >= advance, letter);
});

test('lines are broken between words, and none is lost', () => {
  const words = 'one device reports more bytes than its blocks hold'.split(' ');
  const width = (string) => 7 * string.length;
  const lines = brokenLines(words, ' ', 120, 0, width);
  assert.ok(lines.length > 1);
  for (const line of lines) assert.ok(width(line) <= 120, line);
  assert.equal(lines.join(' '), words.join(' '));
  // The first one begins further in.
  assert.ok(width(brokenLines(words, ' ', 120, 60, width)[0]) <= 60);
  const long = 'x'.repeat(500);
  assert.equal(brokenLines([long], ' ', 120, 0, width).join(''), long);
  // No line ends in the middle of a character.
  const faces = brokenLines(['🙂'.repeat(50)], ' ', 45, 0, width);
  assert.equal(faces.join(''), '🙂'.repeat(50));
  for (const line of faces) assert.ok(line.isWellFormed ? line.isWellFormed() : encodeURIComponent(line), line);
});

test('what stays with its number is known', () => {
  const unit = new RegExp(`^${UNIT}`);
  for (const word of ['B', 'KiB', 'GiB,', '%', 'x']) assert.ok(unit.test(word), word);
  for (const word of ['Blocks', 'xs', 'bytes']) assert.ok(!unit.test(word), word);
});
