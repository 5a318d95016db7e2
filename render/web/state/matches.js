// A typed query -> the pieces that match it in their line, in their stack, or by their address.
import {wordsOfLabel} from '../core/text.js';
import {framesOf, traceName} from './model.js';

export function matchesOf(query, test, {cells, stackNodes}) {
  const byNode = new Map();
  const isHit = (node) => {
    const path = [];
    while (node >= 0 && !byNode.has(node)) {
      path.push(node);
      if (test(stackNodes[node].frame)) break;
      node = stackNodes[node].caller;
    }
    const hit = node >= 0 && (byNode.get(node) || test(stackNodes[node].frame));
    for (const one of path) byNode.set(one, hit);
    return hit;
  };
  const address = /^(0x|b)?[0-9a-f]{4,}(_\d+)?$/i.test(query) ? query.toLowerCase().replace(/^(0x|b)/, '') : '';
  const found = [];
  for (const cell of cells)
    for (const piece of cell.pieces)
      if ((piece.entry && test(piece.entry)) || isHit(piece.stack) || (address && piece.kind === 'block' && traceName(piece).includes(address))) found.push(piece);
  return found;
}

// A block that stands for those of several segments has the name of one of them.
const standsFor = (piece, {stack, bytes}, stackNodes) => piece.cell.count > 1 && piece.bytes - piece.rounding === bytes &&
  framesOf(piece, stackNodes).map(({label}) => wordsOfLabel(label)).reverse().join('\n') === stack.join('\n');

// Returns the blocks that the page lights, see answerPage().
export function litPieces(lit, {cells, stackNodes}) {
  if (!lit) return [];
  // All lines without a hue are one class of the page.
  const paint = lit.paint === 'other' ? 'lesser' : lit.paint;
  const blocks = cells.flatMap((cell) => cell.pieces.filter((piece) => piece.kind === 'block')), words = new Set(lit.words);
  if (!lit.name) return blocks.filter(({entry}) => entry && (entry.paint === paint || words.has(wordsOfLabel(entry.label))));
  const named = blocks.filter((piece) => traceName(piece) === lit.name);
  return named.length ? named : blocks.filter((piece) => standsFor(piece, lit, stackNodes));
}
