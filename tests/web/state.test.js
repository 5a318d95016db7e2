// The board of `state` without its drawing.
import assert from 'node:assert/strict';
import test from 'node:test';
import {readFrames} from '../../render/web/core/frames.js';
import {matcher} from '../../render/web/core/matcher.js';
import {BoardLayout, STRIP, zoomedLayout} from '../../render/web/state/layout.js';
import {litPieces, matchesOf} from '../../render/web/state/matches.js';
import {framesOf, mostUsed, pieceAt, readBoard, readPiece, traceName} from '../../render/web/state/model.js';
import {isWhole, pieceTowards, rangeCloserTo, rangeWords, readRange, wholeCell, widerRange} from '../../render/web/state/ranges.js';
import {nameOf, pieceStackText, pieceTitle} from '../../render/web/state/words.js';
import {element} from './element.js';

const frames = readFrames([
  element('f', {n: 'at::empty', p: '', c: 'torch'}, 'at::empty'),
  element('f', {n: 'step', p: 'train.py:8', c: 'user'}, 'step\n/app/train.py:8'),
]);

// Two segments at two places: blocks of 1024 and 512 bytes with a hole between them, and one large block.
const data = () => element('metadata', {},
  element('c', {n: 'step', p: 'train.py:8', c: 'hue0'}),
  element('c', {n: '<smaller>', p: '', c: 'smaller'}),
  element('stacks', {}, ':1 0:0'),
  element('place', {n: 'GPU 0', t: 'at the end', e: '50'},
    element('g', {t: '1 segment'}, element('cell', {a: '0x7f0000000000', b: 4096, u: 512, x: ''}, '2,24,0,1,40,2,1500 =3 ~1,0,0,1,,,  !2'))),
  element('place', {n: 'GPU 1', t: 'at the end', e: '9'},
    element('g', {t: '2 segments'}, element('cell', {a: '0x7f1000000000', b: 1 << 20, u: 1 << 20, n: 2}, '1,0,0,,,,'))));
const board = () => readBoard(data(), frames);

test('pieces are read in their order, and tile their segment', () => {
  const {cells, reservedBytes} = board();
  const [first, second] = cells;
  assert.deepEqual(first.pieces.map(({kind, begin, bytes}) => [kind, begin, bytes]),
    [['block', 0, 1024], ['hole', 1024, 1536], ['block', 2560, 512], ['unaccounted', 3072, 1024]]);
  assert.deepEqual([first.used, first.isExpandable, first.count, second.count], [1536, true, 1, 2]);
  assert.equal(reservedBytes, 4096 + 2 * (1 << 20));
  const [block, , pending] = first.pieces;
  assert.deepEqual([block.rounding, block.event, block.uses, block.ageUs, block.isPending], [24, 40, 2, 1500, false]);
  assert.deepEqual([pending.isPending, pending.event, pending.uses], [true, -1, 0]);
});

test('small neighbours are one piece, used and free', () => {
  const piece = readPiece('*8,3072,3,2,0', 512, board().classes);
  assert.deepEqual([piece.kind, piece.bytes, piece.used, piece.blocks, piece.holes, mostUsed(piece)], ['smaller', 4096, 3072, 3, 2, true]);
  assert.equal(nameOf(piece), '<smaller: 3 blocks, 2 holes>');
});

test('a stack is its innermost frame and the way to its callers', () => {
  const {cells, stackNodes} = board();
  assert.deepEqual(framesOf(cells[0].pieces[0], stackNodes).map(({label}) => label.name), ['at::empty', 'step']);
  assert.deepEqual(framesOf(cells[1].pieces[0], stackNodes), []);
});

test('the piece at a place of a segment', () => {
  const [cell] = board().cells;
  for (const [at, index] of [[0, 0], [1023, 0], [1024, 1], [3071, 2], [4095, 3]]) assert.equal(pieceAt(cell, at).index, index);
  assert.equal(pieceAt(cell, 4096), null);
});

test('a tooltip shows when a block was allocated, and starts its stack at the user', () => {
  const {cells, stackNodes} = board();
  const [block] = cells[0].pieces;
  assert.equal(pieceTitle(block, framesOf(block, stackNodes), 24), [
    'step train.py:8', '1.00 KiB (1,024 bytes) at 0x7f0000000000, b7f0000000000_2 in the trace', '1,000 B requested, 24 B rounding', 'in use (active_allocated)',
    'allocated at event 40, 10 events and 1.50 ms before this moment', 'in segment 0x7f0000000000, 4.00 KiB, expandable, 37.5 % in use', 'GPU 0',
    'step train.py:8', 'then called: at::empty'].join('\n'));
  const torch = Array(30).fill(frames[0]), titleOf = (stack) => pieceTitle({...block, title: undefined}, stack, 24).split('\n');
  assert.deepEqual(titleOf([...torch, frames[1], ...torch]).slice(7), ['step train.py:8', '  … 30 frames of torch', 'then called: at::empty', '  … and 29 frames inside it']);
  const long = titleOf(Array(40).fill(frames[1]));
  assert.deepEqual([long.length, long[23]], [24, '… and 24 more lines; c copies the stack']);
  assert.match(pieceStackText(block, framesOf(block, stackNodes)), /^step train.py:8\n1.00 KiB.*\nin segment/);
});

test('a tooltip shows what the events say of a block', () => {
  const said = data();
  said.content.push(element('notes', {}, element('t', {}, 'annotated: the weights'), element('t', {}, 'forward: layers.py:58')));
  const cell = said.querySelector('cell');
  said.content.push(element('notes', {}, element('t', {}, 'kept by Outputs[*]')));
  cell.content = ['2,24,0,1,40,2,1500,1;0 =3 ~1,0,0,1,,,,2:7;0'];
  const {cells, stackNodes} = readBoard(said, frames);
  const [block, hole, pending] = cells[0].pieces;
  assert.deepEqual([block.notes, hole.notes, pending.notes], [['forward: layers.py:58', 'annotated: the weights'], [], ['kept by Outputs[7]', 'annotated: the weights']]);
  assert.match(pieceTitle(block, framesOf(block, stackNodes), 24), /this moment\nforward: layers.py:58\nannotated: the weights\nin segment/);
});

test('a search looks at lines, stacks and addresses', () => {
  const model = board();
  const found = (query) => matchesOf(query, matcher(query), model).map(({cell, index}) => `${cell.index}.${index}`);
  assert.deepEqual(found('step'), ['0.0', '0.2', '1.0']);
  assert.deepEqual(found('at::empty'), ['0.0', '0.2']);
  assert.deepEqual(found('/^step$/'), []);
  assert.deepEqual(found('0x7f0000000a00'), ['0.2']);
  assert.equal(traceName(model.cells[0].pieces[2]), 'b7f0000000a00_0');
  assert.deepEqual(found('b7f0000000000_2'), ['0.0']);
});

test('what is lit in the page is found by name, by line, by its colour, or as one of several segments that look the same', () => {
  const model = board();
  const lit = (wanted) => litPieces({name: '', bytes: 0, stack: [], words: [], ...wanted}, model).map(({cell, index}) => `${cell.index}.${index}`);
  assert.deepEqual(lit({name: 'b7f0000000000_2'}), ['0.0']);
  assert.deepEqual(lit({words: ['step train.py:8']}), ['0.0', '0.2', '1.0']);
  assert.deepEqual(lit({name: 'b7f2000000000_0', bytes: 1 << 20}), ['1.0']);
  assert.deepEqual(lit({name: 'b7f2000000000_0', bytes: 1 << 20, stack: ['step train.py:8']}), []);
  assert.deepEqual(lit({name: 'b7f2000000000_0', bytes: 1000, stack: ['step train.py:8', 'at::empty']}), []);
  assert.deepEqual(litPieces(null, model), []);
  assert.equal(lit({paint: 'hue0'}).length, 3);
  assert.deepEqual([lit({paint: 'hue1'}), lit({paint: 'other'})], [[], []]);
});

test('strips keep the bytes of their segments, and stay inside of the width', () => {
  const model = board();
  for (const width of [300, 852, 2000]) {
    const {strips, height} = new BoardLayout(model, width).run();
    for (const cell of model.cells) {
      const own = strips.filter((strip) => strip.cell === cell);
      assert.equal(own.reduce((sum, {begin, end}) => sum + end - begin, 0), cell.bytes);
    }
    for (const {x, y, width: length} of strips) assert.ok(x >= 0 && x + length <= width + 0.1 && y + STRIP <= height);
  }
});

test('zoomed to, a range takes the whole width', () => {
  const [cell] = board().cells;
  const {strips, scale} = zoomedLayout({cell, begin: 1024, end: 3072}, 800);
  assert.deepEqual(strips.map(({begin, end, width}) => [begin, end, width]), [[1024, 3072, 800]]);
  assert.equal(scale, 800 / 2048);
});

test('a click goes into the segment, then closer; and out again', () => {
  const [small, large] = board().cells;
  const [piece] = large.pieces;
  assert.deepEqual(rangeCloserTo(small.pieces[0], null), wholeCell(small));
  assert.equal(rangeCloserTo(piece, wholeCell(large)), null); // it has all of it
  const closer = rangeCloserTo(small.pieces[2], wholeCell(small));
  assert.ok(closer.begin <= 2560 && closer.end >= 3072 && closer.end - closer.begin < small.bytes);
  assert.ok(isWhole(widerRange(closer)));
  assert.equal(widerRange(wholeCell(small)), null);
  assert.equal(widerRange(null), null);
});

test('a link says which range, and may say anything', () => {
  const {cells} = board();
  const range = {cell: cells[0], begin: 512, end: 2048};
  assert.equal(rangeWords(range), '0.512.2048');
  assert.deepEqual(readRange('0.512.2048', cells), range);
  for (const words of ['0', '0.9.3', '0.0.99999', '0.x.y', '0.5x']) assert.deepEqual(readRange(words, cells), wholeCell(cells[0]));
  for (const words of ['', '7.0.1', '-1', 'NaN', '1e3', '__proto__']) assert.equal(readRange(words, cells), null);
});

test('arrows walk over all pieces, and stop at the ends', () => {
  const {cells} = board();
  let piece = cells[0].pieces[0];
  for (let i = 0; i < 9; ++i) piece = pieceTowards(piece, 'ArrowRight', cells);
  assert.equal(piece, cells[1].pieces[0]);
  assert.equal(pieceTowards(piece, 'ArrowLeft', cells), cells[0].pieces[3]);
  assert.equal(pieceTowards(piece, 'ArrowUp', cells), cells[0].pieces[0]);
  assert.equal(pieceTowards(cells[0].pieces[0], 'ArrowLeft', cells), cells[0].pieces[0]);
  assert.equal(pieceTowards(piece, 'x', cells), null);
});
