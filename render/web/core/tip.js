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

// Querying the position of the page costs a layout: once is enough, until it moves.
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

// Below or above the element that it explains, if the window has room, else next to the pointer. `around`: the
// rectangle of that element, in the window; without it, the pointer's position.
function placeTip(point, around) {
  const {width, height} = tipState;
  const x = Math.max(4, Math.min(point.x + 14, pageSize.width - width - 4));
  let y = point.y + 18;
  if (y + height > pageSize.height - 4) y = Math.max(4, point.y - height - 10);
  if (around) {
    const top = pagePoint({clientX: 0, clientY: 0}).y, bottom = Math.min(pageSize.height, pagePoint({clientX: 0, clientY: window.innerHeight}).y);
    const above = pagePoint({clientX: 0, clientY: around.top}).y, below = pagePoint({clientX: 0, clientY: around.bottom}).y;
    const places = [below + 6, above - height - 6].filter((place) => place >= top + 4 && place + height <= bottom - 4);
    if (places.length) [y] = places;
  }
  tip.setAttribute('transform', `translate(${x} ${y})`);
}

// `holder`: the subject of the text, which changes only with it. `more`: a note on what is omitted, and where it is.
export function showTip(point, holder, titleOf, more, around) {
  if (tipState.isPinned) return;
  if (tipState.holder !== holder) {
    tipState.holder = holder;
    fillTip(tipLines(titleOf(holder), more));
    tip.style.display = '';
  }
  placeTip(point, around);
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
