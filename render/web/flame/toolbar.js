// The switches of a flame graph, and the position of the view in it.
import {showCrumbTrail, showHint} from '../core/controls.js';
import {svg} from '../core/dom.js';
import {columnsOf, fitLabel} from '../core/text.js';
import {button, crumb} from '../core/toolbar.js';
import {boxes, geometry, view} from './picture.js';

export const switchButtons = {
  invert: button('invert', 'invert', 'callees first: who holds memory, then who called (i)'),
  collapse: button('collapse', 'collapse recursion', 'show repeated calls once (r)'),
  hide: button('hide', 'hide libraries', 'show only your own frames (h)'),
};

const reading = svg.querySelector('#reading');
const readingText = reading ? reading.textContent : '';

export function showSwitches() {
  if (reading) reading.textContent = view.invert ? readingText.replace(/callers (\w+) callees/, 'callees $1 callers') : readingText;
  for (const key in switchButtons) switchButtons[key].setAttribute('aria-pressed', view[key]);
}

export const isReset = () => view.zoom === boxes[0] && !boxes.some((box) => box.parts);

function crumbOf(box, label) {
  const found = crumb(label, {title: box.label.name});
  found.box = box;
  return found;
}

export function showCrumbs() {
  if (isReset()) return showHint('a box');
  const path = [];
  for (let box = view.zoom; box; box = box.parent) path.unshift(box);
  let room = Math.floor(geometry.width / 8);
  const shown = [];
  while (path.length && room > 12) {
    const box = path.pop();
    const label = fitLabel({name: box.label.name, place: '', note: '', brief: box.label.brief}, Math.min(30, room)) || '…';
    room -= columnsOf(label) + 3;
    shown.unshift(' › ', crumbOf(box, label));
  }
  shown[0] = path.length ? ' … › ' : ' ';
  showCrumbTrail(...shown);
}
