// Keys -> moves along the tree of boxes; the focused box is announced to screen readers.
import {showTitle} from '../core/controls.js';
import {elementOf} from './elements.js';
import {heightOf, isNarrow} from './layout.js';
import {boxes, geometry, graph, titleOfBox, view} from './picture.js';
import {layOut} from './view.js';

function describeForReaders(box, element) {
  element.setAttribute('tabindex', '-1');
  element.setAttribute('role', 'treeitem');
  element.setAttribute('aria-level', box.level + 1);
  element.setAttribute('aria-label', titleOfBox(box).split('\n').slice(0, 6).join(', '));
}

// A tree without an item would be none for screen readers.
export const describeWhole = () => describeForReaders(boxes[0], elementOf(boxes[0]));

export function focusBox(box) {
  for (const element of graph.querySelectorAll('.focused')) element.classList.remove('focused');
  const {focus} = view;
  view.focus = box;
  // The focused box is drawn, however narrow it is.
  if ((box && box.isDust) || (focus && focus.span && isNarrow(focus, box))) layOut();
  if (!box) return;
  const element = box.parts ? box.parts[0].element : elementOf(box);
  element.classList.add('focused');
  describeForReaders(box, element);
  element.focus({preventScroll: false});
  showTipAt(box);
}

// Next to a box, for keyboard users.
function showTipAt(box) {
  if (!box.span) return;
  const row = geometry.upward ? geometry.rows - 1 - box.row : box.row + heightOf(box) - 1;
  const x = geometry.left + Math.min(box.span.x + box.span.width / 2, box.span.x + 40);
  showTitle({x, y: geometry.top + row * geometry.rowHeight + 6}, box);
}

function neighbour(box, step) {
  const level = box.parent ? box.parent.children.filter((child) => child.span) : [box];
  return level[level.indexOf(box) + step] || box;
}

const firstBelow = (box) => box.children.find((child) => child.span) || box;

// Returns the box that an arrow key leads to; null for other keys.
export function boxTowards(box, key) {
  const inward = geometry.upward ? 'ArrowUp' : 'ArrowDown';
  const outward = geometry.upward ? 'ArrowDown' : 'ArrowUp';
  if (key === inward) return firstBelow(box);
  if (key === outward) return box.parent || box;
  if (key === 'ArrowLeft') return neighbour(box, -1);
  if (key === 'ArrowRight') return neighbour(box, 1);
  return null;
}
