// The element under the pointer, or reached by keys -> its text next to it, inside the page.
import {make, svg} from './dom.js';
import {pageSize, whenSettled} from './sheet.js';
import {COLUMN_WIDTH, columnsOf, cut} from './text.js';

const MOST_COLUMNS = 110, TIP_LINE = 17;
export const MOST_LINES = 24;
const tip = svg.appendChild(make('g', {id: 'tip', role: 'tooltip', style: 'display:none'}));
export const tipState = {holder: null, isPinned: false, width: 0, height: 0};

function tipLines(title, more) {
  const columns = Math.min(MOST_COLUMNS, Math.floor((pageSize.width - 30) / COLUMN_WIDTH));
  const lines = title.split('\n').map((line) => cut(line, columns));
  if (lines.length <= MOST_LINES) return lines;
  return lines.slice(0, MOST_LINES - 1).concat(`… and ${lines.length - MOST_LINES + 1} ${more}`);
}

function fillTip(lines) {
  tipState.width = Math.max(...lines.map(columnsOf)) * COLUMN_WIDTH + 20;
  tipState.height = lines.length * TIP_LINE + 12;
  tip.replaceChildren(make('rect', {width: tipState.width, height: tipState.height, rx: 4}));
  lines.forEach((line, i) => tip.append(make('text', {x: 10, y: 19 + TIP_LINE * i, class: i ? '' : 'strong'}, line)));
}

// Asking where the page is costs a layout: once is enough, until it moves.
let toPage = null;
for (const moves of ['scroll', 'resize']) window.addEventListener(moves, () => (toPage = null), {passive: true});
whenSettled(() => (toPage = null));

export function pagePoint(event) {
  if (!toPage) {
    const matrix = svg.getScreenCTM();
    if (!matrix) return {x: 0, y: 0};
    toPage = matrix.inverse();
  }
  return new DOMPoint(event.clientX, event.clientY).matrixTransform(toPage);
}

function placeTip(point) {
  const x = Math.max(4, Math.min(point.x + 14, pageSize.width - tipState.width - 4));
  let y = point.y + 18;
  if (y + tipState.height > pageSize.height - 4) y = Math.max(4, point.y - tipState.height - 10);
  tip.setAttribute('transform', `translate(${x} ${y})`);
}

// `holder` is what the text is about: while it stays the same, the text does. `more` says what is left out, and where
// it is.
export function showTip(point, holder, titleOf, more) {
  if (tipState.isPinned) return;
  if (tipState.holder !== holder) {
    tipState.holder = holder;
    fillTip(tipLines(titleOf(holder), more));
    tip.style.display = '';
  }
  placeTip(point);
}

export function hideTip() {
  if (tipState.isPinned) return;
  tipState.holder = null;
  tip.style.display = 'none';
}

export function setPinned(isPinned) {
  tipState.isPinned = isPinned;
  tip.classList.toggle('pinned', isPinned);
  if (!isPinned) hideTip();
}
