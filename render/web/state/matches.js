// A typed query -> the pieces that match it in their line, in their stack, or by their address.
import {traceName} from './model.js';

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
