// The allocations that are alive at the playhead: each as cells of equal bytes, by line or kind, updated while the
// playhead moves; a legend with bytes; and the figures of the moment.
import {pixelOf} from './bands.js';
import {colourOf, colours} from './curve_drawing.js';
import {byId, element, fitted, oncePerFrame} from './elements.js';
import {latestOnly} from './engine.js';
import {lightsUnder} from './hover.js';
import {lightSet, lightsWithin} from './lit.js';
import {deviceNow, hasDevice, isHere, whereNow} from './model.js';
import {countOf, formatBytes, formatCount, formatDuration, formatPercent} from '../../render/web/core/numbers.js';

const CELL = {width: 4, height: 10, gap: 2};
const SUMS = 6, PALE = 0.25, UNLIT = 0.45; // shares of a colour
const SAY_MS = 700;

// The same scale at every moment, so that the filled part shows the share of the peak.
function gridOf(/** @type {Page} */ page, canvas) {
  const {width, height} = canvas.getBoundingClientRect();
  const columns = Math.max(10, Math.floor(width / CELL.width)), rows = Math.max(4, Math.floor(height / (CELL.height + CELL.gap)));
  const {peak_bytes: peak} = deviceNow(page);
  return {columns, rows, cellBytes: Math.max(1, Math.ceil((peak * 1.02) / (columns * rows)))};
}

// Returns what is live in a state, and the cells for it; null if another file or device is shown meanwhile.
async function liveAt(/** @type {Page} */ page, state, grid) {
  const {file, device} = page.view, cells = grid.columns * grid.rows;
  const buffer = await page.askBytes({ask: 'live', ...whereNow(page), state, by: page.view.by, cells, cell_bytes: grid.cellBytes});
  if (!isHere(page, {file, device})) return null;
  const sums = new Float64Array(buffer, 0, (buffer.byteLength - 5 * cells) / 8);
  return {file, device, grid, state, sums: Array.from(sums), lives: new Uint32Array(buffer, sums.byteLength, cells), cells: new Uint8Array(buffer, sums.byteLength + 4 * cells)};
}

// Returns the pixel of each possible value of a cell: see Cells in walk.hpp.
function pixelsOfValues(/** @type {Page} */ page, share) {
  const isSearching = page.view.search !== '', pixels = new Uint32Array(256);
  for (let code = 0; code < Math.min(255, 4 * page.view.classes.length); ++code) {
    const isFound = (code & 2) !== 0, own = isSearching && !isFound ? PALE : code & 1 ? 0.82 : 1;
    pixels[code + 1] = pixelOf(colourOf(page.view.classes[code >> 2]), Math.min(share, own));
  }
  return pixels;
}

// Returns what a cell of a value with an allocation is painted in: paler if others are lit, pink if it is pinned.
function cellPainter(/** @type {Page} */ page) {
  const {lit, pinned} = page.view, plain = pixelsOfValues(page, 1), pale = lit ? pixelsOfValues(page, UNLIT) : plain, mark = pixelOf(colours().head, 1);
  return (value, life) => (pinned && pinned.has(life) ? mark : !lit || lit.has(life) ? plain[value] : pale[value]);
}

// Paints an image, because thousands of rectangles per frame would take too long. A thin gap ends each run of cells
// of one allocation.
function drawCells(/** @type {Page} */ page, canvas, {grid, cells, lives}) {
  const {context, width} = fitted(canvas);
  const stride = canvas.width, ratio = stride / width, paint = cellPainter(page);
  const image = context.createImageData(stride, canvas.height), pixels = new Uint32Array(image.data.buffer);
  const rows = Math.min(grid.rows, Math.floor(canvas.height / ((CELL.height + CELL.gap) * ratio))); // after a resize fewer than were asked for
  for (let row = 0; row < rows; ++row) {
    const top = Math.round(row * (CELL.height + CELL.gap) * ratio) * stride, line = pixels.subarray(top, top + stride);
    for (let column = 0; column < grid.columns;) {
      const at = row * grid.columns + column, from = column;
      while (column < grid.columns && lives[row * grid.columns + column] === lives[at]) ++column;
      if (cells[at]) line.fill(paint(cells[at], lives[at]), Math.round(from * CELL.width * ratio), Math.round(column * CELL.width * ratio) - 1);
    }
    for (let i = 1; i < Math.round(CELL.height * ratio); ++i) pixels.set(line, top + i * stride);
  }
  context.putImageData(image, 0, 0);
}

function drawLegend(/** @type {Page} */ page, {sums}) {
  const rows = page.view.classes
    .map((one, i) => ({one, i, bytes: sums[SUMS + i]}))
    .filter(({bytes}) => bytes > 0)
    .sort((left, right) => right.bytes - left.bytes);
  byId('legend').replaceChildren(...rows.map(({one, i, bytes}) => {
    const swatch = element('span', {class: 'swatch'});
    swatch.style.background = colourOf(one);
    const share = formatPercent(bytes, sums[0]);
    return element('li', {title: one.label, 'data-class': i}, swatch, element('span', {class: 'label'}, one.label), element('span', {class: 'number'}, `${formatBytes(bytes)}  ${share}`));
  }));
}

function placeOf(device, state) {
  if (!device.events) return 'No events recorded';
  return state ? `After event ${formatCount(state - 1)} of ${formatCount(device.events)}` : 'Before the first event';
}

function drawNumbers(/** @type {Page} */ page, {state, sums}, sayMoment) {
  const [live, count, reserved, foundBytes, foundCount, us] = sums;
  const device = deviceNow(page);
  const time = device.has_times ? ` (${formatDuration(us)})` : '';
  byId('moment').textContent = `${placeOf(device, state)}${time}: ${formatBytes(live)} in ${countOf(count, 'allocation')}, ${formatBytes(reserved)} reserved`;
  const found = foundCount ? `${formatBytes(foundBytes)} in ${countOf(foundCount, 'allocation')}, ${formatPercent(foundBytes, live)}` : 'nothing live at the playhead';
  byId('found').textContent = page.view.search ? `${page.view.search}: ${found}` : '';
  const curve = byId('curve');
  curve.setAttribute('aria-valuemax', device.events);
  curve.setAttribute('aria-valuenow', state);
  curve.setAttribute('aria-valuetext', byId('moment').textContent);
  if (byId('said').textContent !== byId('moment').textContent) sayMoment();
}

// Returns what says the figures of the moment to screen readers, once the playhead rests.
function momentSayer() {
  let saying = 0;
  return () => {
    clearTimeout(saying);
    saying = setTimeout(() => (byId('said').textContent = byId('moment').textContent), SAY_MS);
  };
}

// The allocation in the cell at a place of the page; null: none.
function lifeInCell(/** @type {Page} */ page, canvas, shown, {clientX, clientY}) {
  if (!shown || !isHere(page, shown)) return null;
  const {left, top} = canvas.getBoundingClientRect(), {grid, cells, lives} = shown;
  const column = Math.floor((clientX - left) / CELL.width), row = Math.floor((clientY - top) / (CELL.height + CELL.gap));
  const at = row * grid.columns + column;
  return column >= 0 && row >= 0 && column < grid.columns && row < grid.rows && cells[at] ? lives[at] : null;
}

// The cell that the arrow keys lead to from one with an allocation: of the next allocation, or in the next row.
function cellTowards({grid, cells, lives}, from, key) {
  const by = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -grid.columns, ArrowDown: grid.columns}[key];
  if (from === null) return cells[0] ? 0 : null;
  let at = from + by;
  while (Math.abs(by) === 1 && cells[at] && lives[at] === lives[from]) at += by;
  return cells[at] ? at : from;
}

const placeOfCell = (canvas, {columns}, at) => {
  const {left, top} = canvas.getBoundingClientRect();
  return {x: left + (at % columns) * CELL.width, y: top + Math.floor(at / columns) * (CELL.height + CELL.gap) + CELL.height};
};

// Arrow keys walk from allocation to allocation, Enter pins the one that they have reached.
function startWalkingCells(/** @type {Page} */ page, canvas, shownNow, hovering) {
  let at = null;
  canvas.addEventListener('keydown', (event) => {
    const shown = shownNow(), isArrow = event.key.startsWith('Arrow');
    if (!shown || event.shiftKey || event.altKey || event.ctrlKey || event.metaKey || !(isArrow || (event.key === 'Enter' && at !== null))) return;
    event.preventDefault();
    if (!isHere(page, shown)) return;
    if (at !== null && !shown.cells[at]) at = null; // the playhead has moved
    if (isArrow) at = cellTowards(shown, at, event.key);
    if (at === null) return;
    if (isArrow) hovering.show(shown.lives[at], placeOfCell(canvas, shown.grid, at));
    else page.change({life: shown.lives[at]});
  });
  canvas.addEventListener('blur', () => {
    at = null;
    hovering.leave();
  });
}

export function startLive(/** @type {Page} */ page) {
  const canvas = byId('cells'), sayMoment = momentSayer();
  let shown = null;
  const drawCellsSoon = oncePerFrame(() => drawCells(page, canvas, shown));
  const drawSoon = oncePerFrame(() => {
    if (!isHere(page, shown)) return;
    drawCells(page, canvas, shown);
    drawLegend(page, shown);
    drawNumbers(page, shown, sayMoment);
  });
  const load = latestOnly(async (state) => {
    const found = hasDevice(page) ? await liveAt(page, state, gridOf(page, canvas)) : null;
    if (!found) return;
    shown = found;
    drawSoon();
  });
  const lifeOf = (event) => lifeInCell(page, canvas, shown, event);
  canvas.addEventListener('mousedown', (event) => event.preventDefault()); // a click leaves the arrow keys to the playhead
  startWalkingCells(page, canvas, () => shown, lightsUnder(page, canvas, lifeOf));
  lightsWithin(page, byId('legend'), 'li', (row) => isHere(page, shown) && lightSet(page, {of: 'class', by: page.view.by, class: Number(row.dataset.class)}, [row.title], {paint: page.view.classes[row.dataset.class]?.paint}));
  canvas.addEventListener('click', (event) => page.change({life: lifeOf(event)}));
  page.watch(['file', 'device', 'state', 'by', 'search', 'classes'], () => load(page.view.state));
  page.watch(['lit', 'pinned'], () => shown && drawCellsSoon());
  window.addEventListener('resize', () => shown && load(page.view.state));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => shown && drawSoon());
}
