// Starts the board of `state`: zoom into a segment and a range of it, search, keys, and the view in the URL's fragment.
import {clearSearch, pinTip, showCrumbTrail, showHint, showStatus, showTitle, startControls} from './core/controls.js';
import './core/flows.js';
import {readFragment, setFragment} from './core/fragment.js';
import {answerPage, sayAllocation} from './core/link.js';
import {countOf, formatBytes, formatCount, formatPercent} from './core/numbers.js';
import {search, searchFor, searchWords} from './core/search.js';
import {layouts, startSheet} from './core/sheet.js';
import {COLUMN_WIDTH, columnsOf, cut} from './core/text.js';
import {hideTip, tipState} from './core/tip.js';
import {crumb, searchInput} from './core/toolbar.js';
import {drawFocus, drawLit} from './state/drawing.js';
import {STRIP} from './state/layout.js';
import {litPieces, matchesOf} from './state/matches.js';
import {pieceAt, traceName} from './state/model.js';
import {board, boardGeometry, boardView, copyOf, model, titleOfPiece} from './state/picture.js';
import {isWhole, pieceTowards, rangeCloserTo, rangeWords, readRange, wholeCell, widerRange} from './state/ranges.js';
import {boardItemAt, openPlace, redraw} from './state/section.js';

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
  if (!boardView.zoom) return showHint('a segment');
  const {cell, begin, end} = boardView.zoom;
  const range = isWhole(boardView.zoom) ? [] : [` › ${formatBytes(end - begin)} of it`];
  showCrumbTrail(' › ', crumb(`segment ${cell.address}`, {'data-segment': '1'}), ...range);
}

function saveState() {
  const state = new URLSearchParams();
  if (boardView.zoom) state.set('zoom', rangeWords(boardView.zoom));
  if (search.query) state.set('search', search.query);
  setFragment(state);
}

function loadState() {
  const state = readFragment();
  boardView.zoom = readRange(state.get('zoom') || '', cells);
  searchInput.value = state.get('search') || '';
  runSearch(searchInput.value);
}

function refresh() {
  showCrumbs();
  showStatus(searchStatus());
  saveState();
  redraw();
}

// Lines of a log: narrow ones without their columns, so that the user's line is still visible.
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
  boardView.zoom = range;
  hideTip();
  refresh();
}

function activate(piece) {
  pinTip(false);
  if (piece.entry) sayAllocation(traceName(piece));
  const range = rangeCloserTo(piece, boardView.zoom);
  if (range) zoomTo(range);
}

function focusPiece(piece) {
  boardView.focus = piece;
  const {zoom} = boardView;
  const isShown = !zoom || (zoom.cell === piece.cell && piece.begin < zoom.end && piece.begin + piece.bytes > zoom.begin);
  if (!isShown) zoomTo(wholeCell(piece.cell));
  if (piece.cell.place.isClosed) openPlace(piece.cell.place);
  const [part] = drawFocus();
  if (!part) return hideTip();
  board.setAttribute('aria-label', titleOfPiece(piece).split('\n').slice(0, 5).join(', '));
  showTitle({x: boardGeometry.left + part.x + Math.min(part.width / 2, 40), y: boardGeometry.top + part.y + STRIP - 12}, piece);
}

const firstShown = () => (boardView.zoom ? pieceAt(boardView.zoom.cell, boardView.zoom.begin) : cells[0].pieces[0]);

function walk(key) {
  const target = boardView.focus ? pieceTowards(boardView.focus, key, cells) : key.startsWith('Arrow') ? firstShown() : null;
  if (target) focusPiece(target);
  return Boolean(target);
}

function zoomOutWhole() {
  boardView.focus = null;
  zoomTo(null);
}

board.setAttribute('role', 'application');
board.setAttribute('aria-label', 'segments: arrow keys walk from block to block, Enter zooms, ? lists all keys');

startControls({
  drawing: board, view: boardView, itemAt: boardItemAt, activate, walk, searchStatus, zoomOutWhole,
  titleOf: titleOfPiece,
  pointedOf: (piece) => (piece.kind === 'block' ? {name: traceName(piece)} : null),
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
  followCrumb: (element) => element.hasAttribute('data-segment') && zoomTo(wholeCell(boardView.zoom.cell)),
  load() {
    loadState();
    refresh();
  },
  stackToCopy() {
    const piece = tipState.holder || boardView.focus;
    return piece && copyOf(piece);
  },
  keys: [
    ['click, Enter', 'zoom into a segment, then into the range around a block'],
    ['arrow keys', 'walk from block to block; up and down: from segment to segment'],
    ['/', 'search as you type, plain text, an address, or /regex/; n and N: next and previous match'],
  ],
  actions: {
    'Backspace': () => boardView.zoom && zoomTo(widerRange(boardView.zoom)),
  },
});
function light(lit) {
  boardView.lit = litPieces(lit, model);
  drawLit();
}
answerPage({light});
loadState();
showCrumbs();
showStatus(searchStatus());
startSheet();
