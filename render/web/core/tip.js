// The element under the pointer, or reached by keys -> its text next to it, inside the page. In `memviz view` that has the tip.
import {make, page, svg} from './dom.js';
import {pageSize} from './sheet.js';
import {COLUMN_WIDTH, columnsOf, cut, cutPlace} from './text.js';

const MOST_COLUMNS = 110, TIP_LINE = 17, TIP_PADDING = 12, EDGE = 4;
export const MOST_LINES = 24;
const tip = make('g', {id: 'tip', role: 'tooltip', style: 'display:none'});
if (!page) svg.append(tip);
export const tipState = {holder: null, lines: [], isPinned: false, width: 0, height: 0};

// Returns the part of the page that is in the window: {top, bottom}.
function shownPart() {
  const at = (y) => pagePoint({clientX: 0, clientY: y}).y;
  return {top: Math.max(0, at(0)), bottom: Math.min(pageSize.height, at(window.innerHeight))};
}

function tipLines(title, more) {
  const columns = Math.min(MOST_COLUMNS, Math.floor((pageSize.width - 30) / COLUMN_WIDTH));
  const {top, bottom} = shownPart();
  const most = Math.max(2, Math.min(MOST_LINES, Math.floor((bottom - top - 2 * EDGE - TIP_PADDING) / TIP_LINE)));
  const lines = title.split('\n').map((line) => cutPlace(line, columns));
  if (lines.length <= most) return lines;
  return lines.slice(0, most - 1).concat(cut(`… and ${lines.length - most + 1} ${more}`, columns));
}

function fillTip(lines) {
  tipState.width = Math.max(...lines.map(columnsOf)) * COLUMN_WIDTH + 20;
  tipState.height = lines.length * TIP_LINE + TIP_PADDING;
  tip.replaceChildren(make('rect', {width: tipState.width, height: tipState.height, rx: 4}));
  lines.forEach((line, i) => tip.append(make('text', {x: 10, y: 19 + TIP_LINE * i, class: i ? '' : 'strong'}, line)));
}

export function pagePoint({clientX, clientY}) {
  const matrix = svg.getScreenCTM();
  return matrix ? new DOMPoint(clientX, clientY).matrixTransform(matrix.inverse()) : {x: 0, y: 0};
}

// Below or above the element that it explains, if the window has room, else next to the pointer, always inside the
// window. `around`: the rectangle of that element, in the window; without it, the pointer's position.
function placeTip(point, around) {
  const {width, height} = tipState, {top, bottom} = shownPart();
  const places = [point.y + 18, point.y - height - 10];
  if (around) {
    const above = pagePoint({clientX: 0, clientY: around.top}).y, below = pagePoint({clientX: 0, clientY: around.bottom}).y;
    places.unshift(below + 6, above - height - 6);
  }
  const x = Math.max(EDGE, Math.min(point.x + 14, pageSize.width - width - EDGE));
  const y = places.find((place) => place >= top + EDGE && place + height <= bottom - EDGE);
  tip.setAttribute('transform', `translate(${x} ${y === undefined ? Math.max(top + EDGE, bottom - EDGE - height) : y})`);
}

// `holder`: the subject of the text, which changes only with it. `more`: a note on what is omitted, and where it is.
export function showTip(point, holder, titleOf, more, around) {
  if (tipState.isPinned) return;
  const lines = tipState.holder === holder ? tipState.lines : tipLines(titleOf(holder), more), isNew = lines !== tipState.lines;
  Object.assign(tipState, {holder, lines});
  if (page) return page.showTip(lines.join('\n'), new DOMPoint(point.x, point.y).matrixTransform(svg.getScreenCTM()));
  if (isNew) fillTip(lines);
  tip.style.display = '';
  placeTip(point, around);
}

export function hideTip() {
  if (tipState.isPinned) return;
  tipState.holder = null;
  tip.style.display = 'none';
  page?.hideTip();
}

export function setPinned(isPinned) {
  tipState.isPinned = isPinned;
  tip.classList.toggle('pinned', isPinned);
  page?.pinTip(isPinned);
  if (!isPinned) hideTip();
}
