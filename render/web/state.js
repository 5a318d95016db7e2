// Starts the board of `state`: zoom into a segment and a range of it, search, keys, and the view in the URL's fragment.
import {number} from './core/attributes.js';
import {clearSearch, pinTip, showCrumbTrail, showHint, showStatus, showTitle, startControls} from './core/controls.js';
import './core/flows.js';
import {readFragment, setFragment} from './core/fragment.js';
import {countOf, formatBytes, formatCount, formatPercent} from './core/numbers.js';
import {search, searchFor, searchWords} from './core/search.js';
import {layouts, settle, startSheet, topOf, whenSettled} from './core/sheet.js';
import {COLUMN_WIDTH, columnsOf, cut} from './core/text.js';
import {hideTip, pagePoint, tipState} from './core/tip.js';
import {crumb, searchInput} from './core/toolbar.js';
import {draw, drawFocus, layout, pieceUnder} from './state/drawing.js';
import {STRIP} from './state/layout.js';
import {matchesOf} from './state/matches.js';
import {pieceAt} from './state/model.js';
import {board, geometry, model, stackOf, titleOfPiece, view} from './state/picture.js';
import {isWhole, pieceTowards, rangeCloserTo, rangeWords, readRange, wholeCell, widerRange} from './state/ranges.js';
import {nameOf, stackText} from './state/words.js';

const cells = model.cells;

function runSearch(query) {
  searchFor(query, (test) => matchesOf(query, test, model));
  board.classList.toggle('searching', search.matches.length > 0);
}

const searchStatus = () => searchWords((place) => {
  let blocks = 0, bytes = 0;
  for (const {cell, used, blocks: own} of search.matches) {
    blocks += own * cell.count;
    bytes += used * cell.count;
  }
  const at = place && `${place}${formatCount(search.matches.length)}: `;
  return `${at}${countOf(blocks, 'block')}, ${formatBytes(bytes)}, ${formatPercent(bytes, model.reservedBytes)} of what is reserved`;
});

function showCrumbs() {
  if (!view.zoom) return showHint('a segment');
  const {cell, begin, end} = view.zoom;
  const range = isWhole(view.zoom) ? [] : [` › ${formatBytes(end - begin)} of it`];
  showCrumbTrail(' › ', crumb(`segment ${cell.address}`, {'data-segment': '1'}), ...range);
}

function saveState() {
  const state = new URLSearchParams();
  if (view.zoom) state.set('zoom', rangeWords(view.zoom));
  if (search.query) state.set('search', search.query);
  setFragment(state);
}

function loadState() {
  const state = readFragment();
  view.zoom = readRange(state.get('zoom') || '', cells);
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
  settle();
}

layouts.board = (placed, room) => {
  section = placed;
  geometry.left = room.left;
  geometry.width = room.width;
  draw();
  board.setAttribute('transform', `translate(${room.left} ${number(board, 'data-y')})`);
  return growth();
};
whenSettled(() => (geometry.top = topOf(board.parentNode)));

// Lines of a log: narrow ones without their columns, so that the user's line is still there.
layouts.events = ({element}, room) => {
  const columns = Math.floor(room.width / COLUMN_WIDTH);
  for (const line of element.querySelectorAll('text')) {
    if (line.whole === undefined) line.whole = line.textContent;
    const fits = columnsOf(line.whole.trimEnd()) <= columns;
    line.textContent = fits ? line.whole : cut(line.whole.replace(/ {2,}/g, ' '), columns);
    line.setAttribute('x', room.left);
  }
  return 0;
};

function zoomTo(range) {
  view.zoom = range;
  hideTip();
  refresh();
}

function activate(piece) {
  pinTip(false);
  const range = rangeCloserTo(piece, view.zoom);
  if (range) zoomTo(range);
}

function focusPiece(piece) {
  view.focus = piece;
  const {zoom} = view;
  const isShown = !zoom || (zoom.cell === piece.cell && piece.begin < zoom.end && piece.begin + piece.bytes > zoom.begin);
  if (!isShown) zoomTo(wholeCell(piece.cell));
  const [part] = drawFocus();
  if (!part) return hideTip();
  board.setAttribute('aria-label', titleOfPiece(piece).split('\n').slice(0, 5).join(', '));
  showTitle({x: geometry.left + part.x + Math.min(part.width / 2, 40), y: geometry.top + part.y + STRIP - 12}, piece);
}

const firstShown = () => (view.zoom ? pieceAt(view.zoom.cell, view.zoom.begin) : cells[0].pieces[0]);

function walk(key) {
  const target = view.focus ? pieceTowards(view.focus, key, cells) : key.startsWith('Arrow') ? firstShown() : null;
  if (target) focusPiece(target);
  return Boolean(target);
}

function itemAt(event) {
  const piece = pieceUnder(pagePoint(event));
  return piece && {item: piece, holder: piece};
}

function zoomOutWhole() {
  view.focus = null;
  zoomTo(null);
}

board.setAttribute('role', 'application');
board.setAttribute('aria-label', 'segments: arrow keys walk from block to block, Enter zooms, ? lists all keys');

startControls({
  drawing: board, view, itemAt, activate, walk, searchStatus, zoomOutWhole,
  titleOf: titleOfPiece,
  isMoving: () => false,
  switches: [],
  focusMatch: focusPiece,
  search(query) {
    runSearch(query);
    refresh();
  },
  reset() {
    pinTip(false);
    clearSearch();
    zoomOutWhole();
  },
  followCrumb: (element) => element.hasAttribute('data-segment') && zoomTo(wholeCell(view.zoom.cell)),
  load() {
    loadState();
    refresh();
  },
  stackToCopy() {
    const piece = tipState.holder || view.focus;
    return piece && {text: stackText(piece, stackOf(piece)), name: nameOf(piece)};
  },
  keys: [
    ['click, Enter', 'zoom into a segment, then into the range around a block'],
    ['arrow keys', 'walk from block to block; up and down: from segment to segment'],
    ['/', 'search as you type, plain text, an address, or /regex/; n and N: next and previous match'],
  ],
  actions: {
    'Backspace': () => view.zoom && zoomTo(widerRange(view.zoom)),
  },
});
loadState();
showCrumbs();
showStatus(searchStatus());
startSheet();
