// The data of the curve: columns of the whole recording and of the shown range, the bands of this range, and the bytes
// that a search has found in both.
import {readBands} from './bands.js';
import {mostBytes} from './curve_drawing.js';
import {askBytes, askJson, latestOnly} from './engine.js';
import {change, deviceNow, hasDevice, view, whereNow} from './model.js';

export const HEADROOM = 112; // percent of the highest value, for the words above it
const LEAST_COLUMNS = 50;

// Returns what all questions of one load are about, whatever changes before their answers: {file, device, by, axis}.
const aboutNow = () => ({...whereNow(), by: view.by, axis: view.axis});

// `part`: {first, last, columns}.
async function columnsFor(about, part) {
  const curve = askBytes({ask: 'curve', ...about, ...part});
  const span = about.axis === 'time' ? askJson({ask: 'span', ...about, ...part}) : {us: null};
  const [buffer, {us}] = await Promise.all([curve, span]), values = new Float64Array(buffer);
  return {...about, ...part, us, values, width: values.length / part.columns};
}

// The part of a curve with its bands, whose rows all have the same number of bytes, which the axis follows: from `low`
// bytes at the lower edge to `low + most` at the upper one.
// Both are asked for at once, so that no other question comes between them.
/** @returns {Promise<import('./types.js').Banded>} */
async function bandedFor(about, part, {low, high}, rows) {
  const base = low ?? 0, rowBytesOf = (bytes) => Math.max(1, Math.ceil(bytes / rows));
  const scale = high === null ? {headroom: HEADROOM} : {bytes_per_row: rowBytesOf(high - base)};
  const [curve, buffer] = await Promise.all([columnsFor(about, part), askBytes({ask: 'bands', ...about, ...part, rows, ...scale, base_bytes: base})]);
  const rowBytes = scale.bytes_per_row || rowBytesOf((mostBytes(curve) * HEADROOM) / 100);
  return {...curve, low: base, most: rowBytes * rows, box: {low, high}, bands: readBands(buffer, part.columns)};
}

async function foundFor({file, device, axis, first, last, columns}) {
  if (!view.search) return null;
  return {columns, values: new Float64Array(await askBytes({ask: 'found_curve', file, device, axis, first, last, columns}))};
}

// `size` returns the area of the curve: {width} in the units of the page, {rows} of the screen. `show` is called when
// there is something new to draw.
export function curveData({size, show}) {
  /** @type {{whole: any, shown: import('./types.js').Banded | null, box: any, wholeFound: any, shownFound: any}} */
  const data = {whole: null, shown: null, box: null, wholeFound: null, shownFound: null};
  let isStale = true, isFoundStale = true;
  // Each of these ends early if the data is stale again: then another load is waiting.
  async function loadWhole(about, columns) {
    isStale = false;
    const classes = await askJson({ask: 'classes', ...about});
    if (isStale) return;
    change({classes});
    data.whole = await columnsFor(about, {first: 0, last: deviceNow().events, columns});
  }
  async function loadShown(about, part, box, rows) {
    const banded = await bandedFor(about, part, box, rows);
    if (!isStale) data.shown = banded;
  }
  const isShown = ({first, last, low, high}) => {
    const {shown} = data;
    return shown && shown.first === first && shown.last === last && shown.box.low === low && shown.box.high === high;
  };
  const load = latestOnly(async () => {
    if (!hasDevice()) return;
    const {first, last, low, high} = view, about = aboutNow(), isMoved = isStale || !isShown(view);
    const findsAll = isStale || isFoundStale;
    if (!isMoved && !findsAll) return;
    const {width, rows} = size(), columns = Math.max(LEAST_COLUMNS, Math.round(width));
    if (isStale) await loadWhole(about, columns);
    isFoundStale = false;
    if (isMoved && !isStale) await loadShown(about, {first, last, columns}, {low, high}, rows);
    if (findsAll && !isStale) data.wholeFound = await foundFor(data.whole);
    if (!isStale) data.shownFound = await foundFor(data.shown);
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
