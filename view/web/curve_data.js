// The data of the curve: columns of the whole recording and of the shown range, the bands of this range, and the bytes
// that a search has found in both.
import {readBands} from './bands.js';
import {mostBytes} from './curve_drawing.js';
import {latestOnly} from './engine.js';
import {deviceNow, hasDevice, whereNow} from './model.js';

export const HEADROOM = 112; // percent of the highest value, for the words above it
const LEAST_COLUMNS = 50;

// Returns what all questions of one load are about, whatever changes before their answers: {file, device, by, axis}.
const aboutNow = (/** @type {Page} */ page) => ({...whereNow(page), by: page.view.by, axis: page.view.axis});

// `part`: {first, last, columns}.
async function columnsFor(/** @type {Page} */ page, about, part) {
  const curve = page.askBytes({ask: 'curve', ...about, ...part});
  const span = about.axis === 'time' ? page.askJson({ask: 'span', ...about, ...part}) : {us: null};
  const [buffer, {us}] = await Promise.all([curve, span]), values = new Float64Array(buffer);
  return {...about, ...part, us, values, width: values.length / part.columns};
}

// The part of a curve with its bands, whose rows all have the same number of bytes, which the axis follows: from `low`
// bytes at the lower edge to `low + most` at the upper one.
// Both are asked for at once, so that no other question comes between them.
/** @returns {Promise<import('./types.js').Banded>} */
async function bandedFor(/** @type {Page} */ page, about, part, {low, high}, rows) {
  const base = low ?? 0, rowBytesOf = (bytes) => Math.max(1, Math.ceil(bytes / rows));
  const scale = high === null ? {headroom: HEADROOM} : {bytes_per_row: rowBytesOf(high - base)};
  const [curve, buffer] = await Promise.all([columnsFor(page, about, part), page.askBytes({ask: 'bands', ...about, ...part, rows, ...scale, base_bytes: base})]);
  const rowBytes = scale.bytes_per_row || rowBytesOf((mostBytes(curve) * HEADROOM) / 100);
  return {...curve, low: base, most: rowBytes * rows, box: {low, high}, bands: readBands(buffer, part.columns)};
}

async function foundFor(/** @type {Page} */ page, {file, device, axis, first, last, columns}) {
  if (!page.view.search) return null;
  return {columns, values: new Float64Array(await page.askBytes({ask: 'found_curve', file, device, axis, first, last, columns}))};
}

// `size` returns the area of the curve: {width} in the units of the page, {rows} of the screen. `show` is called when
// there is something new to draw.
export function curveData(/** @type {Page} */ page, {size, show}) {
  /** @type {{whole: any, shown: import('./types.js').Banded | null, box: any, wholeFound: any, shownFound: any}} */
  const data = {whole: null, shown: null, box: null, wholeFound: null, shownFound: null};
  let isStale = true, isFoundStale = true;
  // Each of these ends early if the data is stale again: then another load is waiting.
  async function loadWhole(about, columns) {
    isStale = false;
    const classes = await page.askJson({ask: 'classes', ...about});
    if (isStale) return;
    page.change({classes});
    data.whole = await columnsFor(page, about, {first: 0, last: deviceNow(page).events, columns});
  }
  async function loadShown(about, part, box, rows) {
    const banded = await bandedFor(page, about, part, box, rows);
    if (!isStale) data.shown = banded;
  }
  const isShown = ({first, last, low, high}) => {
    const {shown} = data;
    return shown && shown.first === first && shown.last === last && shown.box.low === low && shown.box.high === high;
  };
  const load = latestOnly(async () => {
    if (!hasDevice(page)) return;
    const {first, last, low, high} = page.view, about = aboutNow(page), isMoved = isStale || !isShown(page.view);
    const findsAll = isStale || isFoundStale;
    if (!isMoved && !findsAll) return;
    const {width, rows} = size(), columns = Math.max(LEAST_COLUMNS, Math.round(width));
    if (isStale) await loadWhole(about, columns);
    isFoundStale = false;
    if (isMoved && !isStale) await loadShown(about, {first, last, columns}, {low, high}, rows);
    if (findsAll && !isStale) data.wholeFound = await foundFor(page, data.whole);
    if (!isStale) data.shownFound = await foundFor(page, data.shown);
    if (!isStale) show();
  });
  return {
    data,
    load: () => load({}),
    loadAnew() {
      isStale = true;
      load({});
    },
    findAnew() {
      isFoundStale = true;
      load({});
    },
  };
}
