// The board's data -> classes, stacks, places, bands, segments and their pieces. board_data.cpp documents the format.
import {number, text} from '../core/attributes.js';
import {countBefore} from '../core/bisect.js';
import {textWithItems} from '../core/items.js';

const readClass = (entry) => ({
  label: {name: text(entry, 'n'), place: text(entry, 'p'), note: ''}, paint: text(entry, 'c'), kinds: text(entry, 'k'), isFrame: false,
});

// A stack is a node of a tree: its innermost frame, and the node of the other frames.
export const readStacks = (words, frames) => words.split(' ').filter(Boolean).map((word) => {
  const [caller, frame] = word.split(':');
  return {caller: caller === '' ? -1 : Number(caller), frame: frames[Number(frame)]};
});

const optional = (word) => (word === '' || word === undefined ? -1 : Number(word));

export function readPiece(word, unit, classes) {
  const mark = /^[=!*~]/.test(word) ? word[0] : '';
  const fields = word.slice(mark.length).split(',');
  const piece = {kind: 'block', bytes: Number(fields[0]) * unit, used: 0, stack: -1, entry: null, blocks: 0, holes: 0, hit: false};
  if (mark === '=') return {...piece, kind: 'hole', holes: 1};
  if (mark === '!') return {...piece, kind: 'unaccounted'};
  if (mark === '*')
    return {...piece, kind: 'smaller', used: Number(fields[1]), blocks: Number(fields[2]), holes: Number(fields[3]),
            entry: classes[optional(fields[4])] || null};
  return {...piece, used: piece.bytes, rounding: Number(fields[1]), entry: classes[Number(fields[2])], blocks: 1,
          stack: optional(fields[3]), event: optional(fields[4]), uses: Math.max(0, optional(fields[5])), ageUs: optional(fields[6]), notes: (fields[7] || '').split(';').filter(Boolean), isPending: mark === '~'};
}

function readCell(element, place, {classes, cells, notes}) {
  const cell = {index: cells.length, address: text(element, 'a'), bytes: number(element, 'b'), count: number(element, 'n') || 1,
                isExpandable: element.hasAttribute('x'), place, used: 0};
  const unit = number(element, 'u');
  let begin = 0;
  cell.pieces = element.textContent.split(' ').filter(Boolean).map((word, index) => {
    const piece = Object.assign(readPiece(word, unit, classes), {cell, index, begin});
    piece.notes = (piece.notes || []).map((one) => textWithItems(one, notes));
    begin += piece.bytes;
    cell.used += piece.used;
    return piece;
  });
  cells.push(cell);
  return cell;
}

function readPlace(element, model) {
  const place = {name: text(element, 'n'), comment: text(element, 't'), paint: text(element, 'c'), event: optional(text(element, 'e')),
                 isOther: element.hasAttribute('closed'), isClosed: element.hasAttribute('closed')};
  place.bands = [...element.children].map((band) => ({caption: text(band, 't'), cells: [...band.children].map((one) => readCell(one, place, model))}));
  return place;
}

// All places, and the cells (segments) of all of them in order.
export function readBoard(data, frames) {
  const notes = [...data.querySelectorAll('notes > t')].map((entry) => entry.textContent);
  const model = {cells: [], notes, classes: [...data.querySelectorAll('c')].map(readClass), stackNodes: readStacks(data.querySelector('stacks').textContent, frames)};
  model.places = [...data.querySelectorAll('place')].map((element) => readPlace(element, model));
  model.reservedBytes = model.cells.reduce((sum, cell) => sum + cell.bytes * cell.count, 0);
  return model;
}

export const mostUsed = (piece) => piece.used >= piece.bytes - piece.used && piece.entry !== null;
export const hexOf = (piece) => (BigInt(piece.cell.address) + BigInt(piece.begin)).toString(16);

// As PyTorch's viewer and `memviz trace` name a block: its address, and how often that was used before.
export const traceName = (piece) => `b${hexOf(piece)}_${piece.uses}`;

// Returns the first piece that ends after `at` bytes of the segment.
export const pieceAt = ({pieces}, at) => pieces[countBefore(pieces.length, (i) => pieces[i].begin + pieces[i].bytes <= at)] || null;

// Innermost first.
export function framesOf(piece, stackNodes) {
  const found = [];
  for (let node = piece.stack; node >= 0; node = stackNodes[node].caller) found.push(stackNodes[node].frame);
  return found;
}
