// The allocations that are alive at the playhead: each as cells of equal bytes, by line or kind, updated while the
// playhead moves; a legend with bytes; and the figures of the moment.
import {classes} from './curve.js';
import {colourOf} from './curve_drawing.js';
import {byId, element, fitted, isDark, oncePerFrame} from './elements.js';
import {askBytes, askJson, latestOnly} from './engine.js';
import {change, deviceNow, hasDevice, view, watch, whereNow} from './model.js';
import {countOf, formatBytes, formatCount, formatDuration, formatPercent} from '../../render/web/core/numbers.js';

const CELL = {width: 4, height: 10, gap: 2};
const SUMS = 6;
const cellsCanvas = byId('cells');
let shownLive = null;

// The same scale at every moment, so that the filled part shows the share of the peak.
function gridNow() {
  const {width, height} = cellsCanvas.getBoundingClientRect();
  const columns = Math.max(10, Math.floor(width / CELL.width)), rows = Math.max(4, Math.floor(height / (CELL.height + CELL.gap)));
  const {peak_bytes: peak} = deviceNow();
  return {columns, rows, cellBytes: Math.max(1, Math.ceil((peak * 1.02) / (columns * rows)))};
}

const loadLive = latestOnly(async (state) => {
  if (!hasDevice()) return;
  const grid = gridNow(), cells = grid.columns * grid.rows;
  const buffer = await askBytes({ask: 'live', ...whereNow(), state, by: view.by, cells, cell_bytes: grid.cellBytes});
  const sums = new Float64Array(buffer, 0, (buffer.byteLength - cells) / 8);
  shownLive = {grid, state, sums: Array.from(sums), cells: new Uint8Array(buffer, sums.byteLength)};
  drawLiveSoon();
});

// Returns the pixel of a colour; the rest of the share is black or white, like the page.
function pixelOf(colour, share) {
  const part = (at) => Math.round(parseInt(colour.slice(at, at + 2), 16) * share + (isDark() ? 0 : 255) * (1 - share));
  return ((255 << 24) | (part(5) << 16) | (part(3) << 8) | part(1)) >>> 0;
}

// Returns the pixel of each possible value of a cell: see Cells in walk.hpp.
function pixelsOfValues() {
  const isSearching = view.search !== '', pixels = new Uint32Array(256);
  for (let code = 0; code < Math.min(255, 4 * classes.list.length); ++code) {
    const isFound = (code & 2) !== 0, share = isSearching && !isFound ? 0.25 : code & 1 ? 0.82 : 1;
    pixels[code + 1] = pixelOf(colourOf(classes.list[code >> 2]), share);
  }
  return pixels;
}

// Paints an image, because thousands of rectangles per frame would take too long. A thin gap ends each run of equal
// cells.
function drawCells() {
  const {context, width} = fitted(cellsCanvas), {grid, cells} = shownLive;
  const stride = cellsCanvas.width, ratio = stride / width, pixelOfValue = pixelsOfValues();
  const image = context.createImageData(stride, cellsCanvas.height), pixels = new Uint32Array(image.data.buffer);
  const rows = Math.min(grid.rows, Math.floor(cellsCanvas.height / ((CELL.height + CELL.gap) * ratio))); // after a resize fewer than were asked for
  for (let row = 0; row < rows; ++row) {
    const top = Math.round(row * (CELL.height + CELL.gap) * ratio) * stride, line = pixels.subarray(top, top + stride);
    for (let column = 0; column < grid.columns;) {
      const value = cells[row * grid.columns + column], from = column;
      while (column < grid.columns && cells[row * grid.columns + column] === value) ++column;
      if (value) line.fill(pixelOfValue[value], Math.round(from * CELL.width * ratio), Math.round(column * CELL.width * ratio) - 1);
    }
    for (let i = 1; i < Math.round(CELL.height * ratio); ++i) pixels.set(line, top + i * stride);
  }
  context.putImageData(image, 0, 0);
}

function drawLegend() {
  const rows = classes.list
    .map((one, i) => ({one, bytes: shownLive.sums[SUMS + i]}))
    .filter(({bytes}) => bytes > 0)
    .sort((left, right) => right.bytes - left.bytes);
  byId('legend').replaceChildren(...rows.map(({one, bytes}) => {
    const swatch = element('span', {class: 'swatch'});
    swatch.style.background = colourOf(one);
    const share = formatPercent(bytes, shownLive.sums[0]);
    return element('li', {title: one.label}, swatch, element('span', {class: 'label'}, one.label), element('span', {class: 'number'}, `${formatBytes(bytes)}  ${share}`));
  }));
}

function placeOf(device) {
  if (!device.events) return 'No events recorded';
  return shownLive.state ? `After event ${formatCount(shownLive.state - 1)} of ${formatCount(device.events)}` : 'Before the first event';
}

function drawNumbers() {
  const [live, count, reserved, foundBytes, foundCount, us] = shownLive.sums;
  const device = deviceNow();
  const time = device.has_times ? ` (${formatDuration(us)})` : '';
  byId('moment').textContent = `${placeOf(device)}${time}: ${formatBytes(live)} in ${countOf(count, 'allocation')}, ${formatBytes(reserved)} reserved`;
  const found = foundCount ? `${formatBytes(foundBytes)} in ${countOf(foundCount, 'allocation')}, ${formatPercent(foundBytes, live)}` : 'nothing live at the playhead';
  byId('found').textContent = view.search ? `${view.search}: ${found}` : '';
  const curve = byId('curve');
  curve.setAttribute('aria-valuemax', device.events);
  curve.setAttribute('aria-valuenow', shownLive.state);
  curve.setAttribute('aria-valuetext', byId('moment').textContent);
}

const drawLiveSoon = oncePerFrame(() => {
  drawCells();
  drawLegend();
  drawNumbers();
});

function cellAt(event) {
  const {left, top} = cellsCanvas.getBoundingClientRect();
  const column = Math.floor((event.clientX - left) / CELL.width), row = Math.floor((event.clientY - top) / (CELL.height + CELL.gap));
  return shownLive && column < shownLive.grid.columns && row < shownLive.grid.rows ? row * shownLive.grid.columns + column : -1;
}

const lifeIn = (cell) => askJson({ask: 'cell', ...whereNow(), cell});

const hover = latestOnly(async ({cell, x, y}) => {
  const tip = byId('tip');
  const life = cell < 0 || !shownLive.cells[cell] ? null : await lifeIn(cell);
  tip.hidden = !life;
  if (!life) return;
  const own = life.stack.filter((frame) => frame.own), rest = life.stack.filter((frame) => !frame.own);
  const lines = [...own, ...rest].slice(0, 12).map((frame) => `${frame.name} ${frame.place}`);
  tip.textContent = [`${life.line}`, `${formatBytes(life.bytes)} · ${life.kind} · ${life.name}`, ...lines].join('\n');
  const {width, height} = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - width - 8))}px`;
  tip.style.top = `${y + 18 + height > innerHeight ? Math.max(4, y - height - 10) : y + 18}px`;
});

export function startLive() {
  cellsCanvas.addEventListener('pointermove', (event) => hover({cell: cellAt(event), x: event.clientX, y: event.clientY}));
  cellsCanvas.addEventListener('pointerleave', () => hover({cell: -1}));
  cellsCanvas.addEventListener('click', async (event) => {
    hover({cell: -1});
    const cell = cellAt(event);
    const life = cell < 0 || !shownLive.cells[cell] ? null : await lifeIn(cell);
    change({life: life ? life.life : null});
  });
  watch(['file', 'device', 'state', 'by', 'search'], () => loadLive(view.state));
  window.addEventListener('resize', () => shownLive && loadLive(view.state));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawLiveSoon);
  classes.listeners.push(() => loadLive(view.state));
}
