// A search -> the matching boxes, and the bytes that they hold together.
import {formatBytes, formatCount, formatPercent} from '../core/numbers.js';
import {search, searchFor, searchWords} from '../core/search.js';
import {drawDust} from './dust.js';
import {boxes, graph, weighing} from './picture.js';
import {matchedTotals} from './totals.js';

// Marks on its element whether a box matches, and whether it is lit, if that has changed.
export function markElement(box) {
  if (box.element && Boolean(box.isMarkedLit) !== Boolean(box.isLit)) box.element.classList.toggle('lit', (box.isMarkedLit = Boolean(box.isLit)));
  if (box.element && Boolean(box.isMarked) !== box.hit) box.element.classList.toggle('match', (box.isMarked = box.hit));
  if (box.parts) box.parts.forEach((part, i) => part.element.classList.toggle('match', search.test(box.run[i])));
}

export function runSearch(query) {
  searchFor(query, (test) => boxes.filter((box) => box.steps.some(test)));
  for (const box of boxes) if (!box.isDust) markElement(box);
  if (boxes[0].span) drawDust(boxes.filter((box) => box.isDust));
  graph.classList.toggle('searching', search.matches.length > 0);
}

export const searchStatus = () => searchWords((place) => {
  const totals = matchedTotals(boxes);
  const count = place + (search.matches.length === 1 ? '1 box' : formatCount(search.matches.length) + ' boxes');
  if (weighing.isDiff) return `${count}, ${formatBytes(totals.before)} → ${formatBytes(totals.after)}`;
  return `${count}, ${weighing.format(totals.bytes)}, ${formatPercent(totals.bytes, boxes[0].bytes)}`;
});
