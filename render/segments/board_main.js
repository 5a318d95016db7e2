// Starts the board: zoom into a segment and a range of it, search, keys, and the view in the URL's fragment.
const view = {zoom: null, focus: null}; // zoom: {cell, begin, end}
const search = {query: '', matches: [], current: -1, problem: ''};
const ZOOM_STEP = 8, LEAST_RANGE = 512;

const KEYS = [
  ['click, Enter', 'zoom into a segment, then into the range around a block'],
  ['arrow keys', 'walk from block to block; up and down: from segment to segment'],
  ['Backspace', 'zoom out one level'],
  ['Esc', 'back: close, let go, stop searching, zoom out'],
  ['/', 'search as you type, plain text, an address, or /regex/; n and N: next and previous match'],
  ['p, Ctrl+click', 'pin the tooltip, to select its text'],
  ['c', 'copy the stack as text'],
  ['0', 'the whole picture again'],
  ['?', 'this list'],
];

placeToolbar([]);

function matchesOf(query) {
  const test = matcher(query), byNode = new Map();
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

function runSearch(query) {
  for (const piece of search.matches) piece.hit = false;
  Object.assign(search, {query, matches: [], current: -1, problem: ''});
  try {
    if (query) search.matches = matchesOf(query);
  } catch (error) {
    search.problem = problemOf(error);
  }
  for (const piece of search.matches) piece.hit = true;
  board.classList.toggle('searching', search.matches.length > 0);
}

function searchStatus() {
  if (search.problem) return search.problem;
  if (!search.query) return '';
  if (!search.matches.length) return 'no match';
  let blocks = 0, bytes = 0;
  for (const {cell, used, blocks: own} of search.matches) {
    blocks += own * cell.count;
    bytes += used * cell.count;
  }
  const place = search.current < 0 ? '' : `${search.current + 1} of ${formatCount(search.matches.length)}: `;
  return `${place}${countOf(blocks, 'block')}, ${formatBytes(bytes)}, ${formatPercent(bytes, reservedBytes)} of what is reserved`;
}

function showCrumbs() {
  if (!view.zoom) return showHint('a segment');
  const {cell, begin, end} = view.zoom;
  const whole = html('button', {class: 'crumb', type: 'button', 'data-segment': '1'}, `segment ${cell.address}`);
  const range = begin === 0 && end === cell.bytes ? [] : [` › ${formatBytes(end - begin)} of it`];
  crumbs.replaceChildren(html('button', {class: 'crumb', type: 'button', 'data-reset': '1'}, 'reset'), ' › ', whole, ...range);
}

function saveState() {
  const state = new URLSearchParams();
  if (view.zoom) state.set('zoom', [view.zoom.cell.index, Math.floor(view.zoom.begin), Math.ceil(view.zoom.end)].join('.'));
  if (search.query) state.set('search', search.query);
  setFragment(state.toString());
}

function loadState() {
  const state = new URLSearchParams(location.hash.slice(1));
  const [index, begin, end] = (state.get('zoom') || '').split('.').map(Number);
  const cell = Number.isInteger(index) && state.get('zoom') ? cells[index] : undefined;
  const isRange = cell && begin >= 0 && begin < end && end <= cell.bytes;
  view.zoom = cell ? {cell, begin: isRange ? begin : 0, end: isRange ? end : cell.bytes} : null;
  searchInput.value = state.get('search') || '';
  runSearch(searchInput.value);
}

// Draws what the view asks for; the page below moves with the board's height.
let section = null;
const growth = () => layout.height - number(board, 'data-height');
function refresh() {
  draw();
  showCrumbs();
  showStatus(searchStatus());
  saveState();
  if (!section) return;
  section.growth = growth();
  sheet.settle();
}

sheet.layouts.board = (placed, room) => {
  section = placed;
  geometry.left = room.left;
  geometry.width = room.width;
  draw();
  board.setAttribute('transform', `translate(${room.left} ${number(board, 'data-y')})`);
  return growth();
};
sheet.onSettled(() => {
  geometry.top = sheet.topOf(board.parentNode);
  toPage = null;
});

// Lines of a log: narrow ones without their columns, so that the user's line is still there.
sheet.layouts.events = ({element}, room) => {
  const columns = Math.floor(room.width / geometry.columnWidth);
  for (const line of element.querySelectorAll('text')) {
    if (line.whole === undefined) line.whole = line.textContent;
    const fits = columnsOf(line.whole.trimEnd()) <= columns;
    line.textContent = fits ? line.whole : cut(line.whole.replace(/ {2,}/g, ' '), columns);
    line.setAttribute('x', room.left);
  }
  return 0;
};

function zoomTo(zoom) {
  view.zoom = zoom;
  hideTip();
  refresh();
}

// Into the segment, then closer to the piece, which keeps its neighbours.
function activate(piece) {
  pinTip(false);
  const {zoom} = view, {cell} = piece;
  if (!zoom || zoom.cell !== cell) return zoomTo({cell, begin: 0, end: cell.bytes});
  const shown = zoom.end - zoom.begin;
  const wanted = Math.max(shown / ZOOM_STEP, Math.min(piece.bytes * 1.5, shown), Math.min(LEAST_RANGE, cell.bytes));
  if (wanted > shown * 0.9) return;
  const begin = limit(piece.begin + piece.bytes / 2 - wanted / 2, 0, cell.bytes - wanted);
  zoomTo({cell, begin, end: begin + wanted});
}

function zoomOut() {
  if (!view.zoom) return;
  const {cell, begin, end} = view.zoom;
  const wanted = Math.min(cell.bytes, (end - begin) * ZOOM_STEP);
  if (begin === 0 && end === cell.bytes) return zoomTo(null);
  const first = limit((begin + end) / 2 - wanted / 2, 0, cell.bytes - wanted);
  zoomTo({cell, begin: first, end: first + wanted});
}

function focusPiece(piece) {
  view.focus = piece;
  const {zoom} = view;
  const isShown = !piece || !zoom || (zoom.cell === piece.cell && piece.begin < zoom.end && piece.begin + piece.bytes > zoom.begin);
  if (!isShown) zoomTo({cell: piece.cell, begin: 0, end: piece.cell.bytes});
  const [part] = drawFocus();
  if (!part) return hideTip();
  board.setAttribute('aria-label', titleOf(piece).split('\n').slice(0, 5).join(', '));
  showTip({x: geometry.left + part.x + Math.min(part.width / 2, 40), y: geometry.top + part.y + STRIP - 12}, piece);
}

function nextMatch(step) {
  const piece = stepToMatch(step);
  if (!piece) return;
  focusPiece(piece);
  showStatus(searchStatus());
}

const firstShown = () => (view.zoom ? pieceAt(view.zoom.cell, view.zoom.begin) : cells[0].pieces[0]);
const nextCell = (cell, step) => cells[limit(cell.index + step, 0, cells.length - 1)];

function moved(piece, key) {
  const {cell, index} = piece;
  if (key === 'ArrowRight') return cell.pieces[index + 1] || nextCell(cell, 1).pieces[0];
  if (key === 'ArrowLeft') return cell.pieces[index - 1] || (cell.index ? nextCell(cell, -1).pieces.at(-1) : piece);
  if (key === 'ArrowDown') return nextCell(cell, 1).pieces[0];
  if (key === 'ArrowUp') return nextCell(cell, -1).pieces[0];
  return null;
}

function stackText(piece) {
  const stack = framesOf(piece).map(frameText);
  return [nameOf(piece), `${exactBytes(piece.bytes)} at 0x${hexOf(piece)}`, segmentText(piece.cell), ...stack].join('\n') + '\n';
}

function onSearch() {
  runSearch(searchInput.value);
  refresh();
}

function reset() {
  pinTip(false);
  view.focus = null;
  searchInput.value = '';
  runSearch('');
  zoomTo(null);
}

// One layer a press: what was opened last goes first.
function goBack() {
  if (dialog) return closeDialog();
  if (tipState.isPinned) return pinTip(false);
  if (search.query || document.activeElement === searchInput) return clearSearch();
  view.focus = null;
  zoomTo(null);
}

function copyStack() {
  const piece = tipState.holder || view.focus;
  if (piece) copyText(stackText(piece), nameOf(piece));
}

const keyActions = {...sharedKeys, Backspace: zoomOut};

function walk(key) {
  const target = view.focus ? moved(view.focus, key) : key.startsWith('Arrow') ? firstShown() : null;
  if (target) focusPiece(target);
  return Boolean(target);
}

board.setAttribute('tabindex', '0');
board.setAttribute('role', 'application');
board.setAttribute('aria-label', 'segments: arrow keys walk from block to block, Enter zooms, ? lists all keys');
board.addEventListener('click', (event) => {
  const piece = pieceUnder(pagePoint(event));
  if (!piece) return;
  if (!event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey) return activate(piece);
  pinTip(false);
  showTip(pagePoint(event), piece);
  pinTip(true);
});
board.addEventListener('mousemove', (event) => {
  const piece = pieceUnder(pagePoint(event));
  if (piece) showTip(pagePoint(event), piece);
  else hideTip();
});
board.addEventListener('mouseleave', hideTip);
crumbs.addEventListener('click', (event) => {
  if (event.target.hasAttribute('data-reset')) reset();
  else if (event.target.hasAttribute('data-segment')) zoomTo({cell: view.zoom.cell, begin: 0, end: view.zoom.cell.bytes});
});
listenToControls();
window.addEventListener('hashchange', () => {
  loadState();
  refresh();
});
loadState();
showCrumbs();
showStatus(searchStatus());
