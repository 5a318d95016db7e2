// A timeline without its drawing.
import assert from 'node:assert/strict';
import test from 'node:test';
import {chosenWords, isChosen, mostTogether} from '../../render/web/timeline/chosen.js';
import {byteY, lastBefore, layOutReserved, layOutStack, outline, roomIn, runsOf, topLine} from '../../render/web/timeline/layout.js';
import {numbers, readPanel, readStacks, readStrip} from '../../render/web/timeline/model.js';
import {decimalStep, fitName} from '../../render/web/timeline/names.js';
import {textWithItems} from '../../render/web/core/items.js';
import {foldedStack} from '../../render/web/core/stacks.js';
import {middleOf, moved, sharesAxis, viewOf, zoomed} from '../../render/web/timeline/views.js';
import {element} from './element.js';

const MIB = 1 << 20;
const band = (first, last, bytes, line, title) => element('path', {
  class: 'hue0 thin', 'data-slices': `${first} ${last}`, 'data-bytes': bytes * MIB, 'data-stack': 0, 'data-line': line}, element('title', {}, title));

// Four slices of ten events: 1 MiB below, bands of 4 and 2 MiB, a strip above that comes in the third slice.
const panel = () => readPanel(element('g', {class: 'chart'},
  element('metadata', {axis: 'event', words: 'events', states: '1 10 10 10', live: `${5 * MIB} ${2 * MIB} ${MIB} ${-7 * MIB}`, begin: 0, end: 40,
    width: 30, height: 100, top: 10 * MIB, cut: 0, 'cut-height': 0, reserved: `${10 * MIB}`, 'reserved-at': '0', left: 0, y: 0}),
  element('g', {class: 'strips below'}, element('path', {'data-bytes': `0 ${MIB}`, class: 'nostack', 'data-line': 'none'}, element('title', {}, 'below'))),
  element('g', {class: 'bands'}, band(0, 3, 4, 'a', 'forward model.py:1\nb7f_0'), band(1, 3, 2, 'b', 'backward model.py:9')),
  element('g', {class: 'strips above'},
    element('path', {'data-bytes': `2 ${MIB} 1 ${-MIB}`, class: 'hue1', 'data-line': 'b'}, element('title', {}, 'small of b')),
    element('path', {'data-bytes': '0 0', class: 'other', 'data-line': ''}, element('title', {}, 'other lines')))),
  readStacks('0 1\n', 'at::empty\nforward model.py:1', 'cu'));

// Two slices by kind: layer 4 has a strip of 1 MiB from before and two bands, the second of which begins first; layer 9 has a band.
const kinds = () => {
  const layered = (element, layer) => { element.attributes['data-layer'] = String(layer); return element; };
  const strip = (name, layer, bytes) => layered(element('path', {class: 'kind-' + name, 'data-bytes': bytes, 'data-line': layer},
    element('title', {}, `${name}\n0 bytes at the peak\nkind: ${name}, 2 allocations`)), layer);
  return readPanel(element('g', {class: 'chart kinds'},
    element('metadata', {axis: 'event', words: 'events', states: '1 10', live: `${6 * MIB} ${4 * MIB}`, begin: 0, end: 20,
      width: 15, height: 100, top: 10 * MIB, cut: 0, 'cut-height': 0, left: 0, y: 0}),
    element('g', {class: 'strips above'}, strip('activation', 4, ''), strip('unknown', 9, '')),
    element('g', {class: 'bands'}, layered(band(1, 2, 4, '4', 'late'), 4), layered(band(0, 2, 2, '4', 'early'), 4), layered(band(0, 2, 3, '9', 'other'), 9)),
    element('g', {class: 'strips below'}, strip('activation', 4, `0 ${MIB}`))), readStacks('', '', ''));
};

const areas = (shape) => shape.steps.map(({first, top, bottom}) => [first, top, bottom]);

test('a tooltip begins with the user\'s frames and folds what is between and within them', () => {
  const frames = (...words) => words.map((word) => ({origin: word[0], name: word.slice(2)}));
  assert.deepEqual(foldedStack(frames('c:at::empty', 'c:at::add', 't:linear', 'u:forward model.py:1', 't:_call_impl', 't:_wrapped', 'u:main train.py:9', 'l:run')),
    ['forward model.py:1', '  … 2 frames of torch', 'main train.py:9', '  run', 'then called: linear', '  … and 2 frames inside it']);
  const gradient = frames('c:c10::malloc', 'c:at::empty', 'c:Accumulate::apply accumulate.cpp:9', 'c:Engine::call', 'c:Engine::run');
  assert.deepEqual(foldedStack(gradient, 'Accumulate::apply'), ['Accumulate::apply accumulate.cpp:9', '  … 2 frames of C++', 'then called: at::empty', '  … and 1 frame inside it']);
  assert.deepEqual(foldedStack(gradient, 'unknown'), ['c10::malloc', '  … 4 frames of C++']);
  assert.deepEqual(foldedStack(frames('c:at::empty', 'c:at::add', 'l:run', 't:_call', 'c:start', 'c:main'), 'run'), ['run', '_call', '  … 2 frames of C++', 'then called: at::add', '  … and 1 frame inside it']);
  assert.deepEqual(foldedStack([], ''), []);
});

test('a band says which variable keeps it, by the number of a text, and a search finds it by that', () => {
  const kept = band(0, 1, 4, 'a', 'forward model.py:1\nb7f_0');
  kept.attributes['data-keeper'] = '1';
  const {bands} = readPanel(element('g', {class: 'chart'},
    element('metadata', {axis: 'event', words: 'events', states: '1', live: '0', begin: 0, end: 40, width: 30, height: 100, top: 10, cut: 0, 'cut-height': 0, left: 0, y: 0}),
    element('g', {class: 'bands'}, kept, band(0, 1, 2, 'b', 'other'))), readStacks('', '', ''), ['freed', 'kept by Outputs[*]']);
  assert.equal(bands[0].title, 'forward model.py:1\nb7f_0\nkept by Outputs[*]');
  assert.ok(bands[0].haystack.includes('kept by outputs[*]'));
  assert.equal(bands[0].name, 'forward model.py:1');
  assert.equal(bands[1].title, 'other');
});

test('the text about a keeper names the items of the block, if it has a place for each', () => {
  const texts = ['kept by model[*].cache[*] in f;\ndropping model[*] frees 1 GiB', "'a[*]'", "kept by x['[*]'][*]"];
  assert.equal(textWithItems('0:3:n1', texts), "kept by model[3].cache['a[*]'] in f;\ndropping model[*] frees 1 GiB");
  assert.equal(textWithItems('0:3:*', texts), 'kept by model[3].cache[*] in f;\ndropping model[*] frees 1 GiB');
  assert.equal(textWithItems('0', texts), texts[0]);
  assert.equal(textWithItems('0:3', texts), texts[0]);
  assert.equal(textWithItems('2:3', texts), texts[2]);
});

test('numbers are differences from the one before', () => {
  assert.deepEqual(numbers(element('metadata', {at: '5 3 -2'}), 'at'), [5, 8, 6]);
  assert.deepEqual(numbers(element('metadata'), 'at'), []);
});

test('a strip has its bytes for each slice', () => {
  const strip = readStrip(element('g', {}, element('path', {class: 'hue1', 'data-bytes': '1 10 2 -4'}, element('title', {}, 'x'))).children[0], 5);
  assert.deepEqual([...strip.bytes], [0, 10, 10, 6, 6]);
});

test('a panel knows its bands by size, and which strip is of their line', () => {
  const {bands, strips, states, at, live, stripOfLine, otherLines} = panel();
  assert.deepEqual([states, at, live.map((bytes) => bytes / MIB)], [[1, 11, 21, 31], [0, 10, 20, 30], [5, 7, 8, 1]]);
  assert.deepEqual(bands.map(({rank, name, stack, paint}) => [rank, name, stack.length, paint]), [[0, 'forward model.py:1', 2, 'hue0'], [1, 'backward model.py:9', 2, 'hue0']]);
  assert.deepEqual(strips.map(({isBelow}) => isBelow), [true, false, false]);
  assert.equal(stripOfLine.get('b'), strips[1]);
  assert.equal(otherLines, strips[2]);
});

test('what is alive is stacked, up to the line of live bytes', () => {
  const chart = panel();
  const {bands, strips, live} = layOutStack(chart);
  assert.deepEqual(areas(strips.get(chart.strips[0])), [[0, 90, 100]]);
  assert.deepEqual(areas(bands.get(chart.bands[0])), [[0, 50, 90]]);
  assert.deepEqual(areas(bands.get(chart.bands[1])), [[10, 30, 50]]);
  assert.deepEqual(areas(live), [[0, 50, 100], [10, 30, 100], [20, 20, 100], [30, 90, 100]]);
  assert.deepEqual(areas(layOutReserved(chart)), [[0, 0, 100]]);
});

test('bands beyond the detail are part of the strip of their line', () => {
  const chart = panel();
  chart.detail = 0;
  const {bands, strips} = layOutStack(chart);
  assert.equal(bands.size, 0);
  // Line b has a strip; line a has none, so that the others get it.
  assert.deepEqual(areas(strips.get(chart.strips[1])), [[0, 90, 90], [10, 70, 90], [20, 60, 90], [30, 90, 90]]);
  assert.deepEqual(areas(strips.get(chart.strips[2])), [[0, 50, 90], [10, 30, 70], [20, 20, 60], [30, 90, 90]]);
});

test('by kind, layers are stacked, and in each what lived before, its bands, and what is small', () => {
  const chart = kinds();
  const {bands, strips, layers} = layOutStack(chart);
  assert.deepEqual(areas(strips.get(chart.strips[2])), [[0, 90, 100]]);
  assert.deepEqual(areas(bands.get(chart.bands[1])), [[0, 70, 90], [10, 30, 50]]);
  assert.deepEqual(areas(bands.get(chart.bands[0])), [[10, 50, 90]]);
  assert.deepEqual(areas(bands.get(chart.bands[2])), [[0, 40, 70], [10, 0, 30]]);
  assert.deepEqual([...layers].map(([layer, shape]) => [layer, areas(shape)]), [[4, [[0, 70, 100], [10, 30, 100]]], [9, [[0, 40, 70], [10, 0, 30]]]]);
});

test('by kind, bands beyond the detail are part of the strip of their kind, and layers stay', () => {
  const chart = kinds(), {layers} = layOutStack(chart);
  chart.detail = 1;
  const fewer = layOutStack(chart);
  assert.deepEqual(fewer.layers, layers);
  assert.deepEqual(areas(fewer.strips.get(chart.strips[0])), [[0, 70, 90], [10, 30, 50]]);
  assert.deepEqual(areas(fewer.strips.get(chart.strips[1])), [[0, 40, 70], [10, 0, 30]]);
});

test('a strip leads to all of its kind, or of its line', () => {
  assert.equal(kinds().strips[0].query, 'kind: activation,');
  assert.equal(panel().strips[1].query, 'small of b');
  assert.deepEqual([kinds().isByKind, panel().isByKind, panel().layers], [true, false, [0]]);
});

test('a cut scale has a place for what is large', () => {
  const scale = {height: 100, top: 1000, cut: 500, cutHeight: 20};
  assert.deepEqual([0, 500, 750, 1000, 2000].map((bytes) => byteY(scale, bytes)), [100, 80, 40, 0, 0]);
});

test('shapes are closed, and one of nothing is no shape', () => {
  const shape = {steps: [{first: 0, top: 10, bottom: 20}, {first: 4, top: 5, bottom: 20}], end: 8};
  assert.equal(topLine(shape), 'M0 10H3V5H6');
  assert.equal(outline(shape), 'M0 10H3V5H6V20H3V20H0z');
  assert.equal(outline({steps: [{first: 0, top: 20, bottom: 20}], end: 8}), '');
  assert.deepEqual(roomIn(shape, 10), {x: 0, width: 6, top: 10, height: 10});
  assert.equal(roomIn(shape, 16), null);
});

test('runs are of one slice, without the columns that have none', () => {
  assert.deepEqual(runsOf([-1, 3, 3, 4]), [{first: 1, end: 3, slice: 3}, {first: 3, end: 4, slice: 4}]);
  assert.deepEqual([lastBefore([0, 10, 20], 15), lastBefore([5], 0)], [1, 0]);
});

test('a view stays inside the recording, and is no shorter than what can be distinguished', () => {
  const chart = {begin: 0, end: 100, isTime: false};
  assert.deepEqual(viewOf(chart, -10, 20), {begin: 0, end: 30});
  assert.deepEqual(viewOf(chart, 90, 130), {begin: 60, end: 100});
  assert.deepEqual(viewOf(chart, 50, 51), {begin: 50, end: 58});
  assert.deepEqual(viewOf(chart, -500, 500), {begin: 0, end: 100});
  assert.deepEqual(zoomed({begin: 0, end: 100}, 0.5, 20), {begin: 10, end: 60});
  assert.deepEqual(moved({begin: 0, end: 100}, 0.25), {begin: 25, end: 125});
  assert.equal(middleOf({begin: 10, end: 20}), 15);
  assert.ok(sharesAxis({axisWords: 'events', begin: 0, end: 1}, {axisWords: 'events', begin: 0, end: 1}));
  assert.ok(!sharesAxis({axisWords: 'events', begin: 0, end: 1}, {axisWords: 'time', begin: 0, end: 1}));
});

test('what is searched for, or of the pinned stack', () => {
  const chart = panel();
  const search = {query: 'at::empty', band: null}, pin = {query: '', band: chart.bands[0]};
  assert.deepEqual(chart.bands.map((one) => isChosen(one, search)), [true, true]);
  assert.deepEqual(chart.strips.map((one) => isChosen(one, pin)), [false, false, false]);
  const most = mostTogether(chart, chart.bands, [chart.strips[1]]);
  assert.deepEqual(most, {bytes: 7 * MIB, state: 21});
  assert.equal(chosenWords(search, {band: 2, strip: 1}, most), '2 bands and 1 strip match, at most 7.00 MiB together, at event 20');
  assert.equal(chosenWords(pin, {band: 0, strip: 0}, {bytes: 0}), 'no match');
});

test('a band says what it has room for', () => {
  const wide = (columns) => columns * 12 * 0.61 + 8.1;
  const fitted = (name, place, columns) => fitName(`${name} ${place}`.trim(), place, '19.5 MiB', wide(columns));
  assert.equal(fitted('forward', 'model.py:41', 40), 'forward model.py:41  19.5 MiB');
  assert.equal(fitted('forward', 'model.py:41', 12), 'forward :41');
  assert.equal(fitted('forward', 'model.py:41', 5), ':41');
  assert.equal(fitted('<module>', 'whole_slide.py:155', 20), '<module> :155');
  assert.equal(fitted('cuMemAlloc_v2', 'libcuda.so.1', 20), 'cuMemAlloc_v2');
  assert.equal(fitted('cuMemAlloc_v2', 'libcuda.so.1', 5), 'cuMe…');
  assert.equal(fitted('<no stack: allocated before recording>', '', 12), '<no stack: …');
  assert.equal(fitted('optimizer state', '', 7), 'optimi…');
});

test('an axis has steps of 1, 2 or 5', () => {
  assert.deepEqual([5, 9, 10, 40, 100, 1000, 12345].map(decimalStep), [1, 1, 2, 5, 20, 200, 2000]);
});
