// The data of the curve: columns of the whole recording and of the shown range, the bands of this range, and the bytes
// that a search has found in both.
import {readBands} from './bands.js';
import {mostBytes} from './curve_drawing.js';
import {askBytes, askJson, latestOnly} from './engine.js';
import {change, deviceNow, hasDevice, view, whereNow} from './model.js';

const HEADROOM = 1.12; // of the highest value, for the words above it
const HEAD_OF_COLUMN = 3, LEAST_COLUMNS = 50;

// Returns what all questions of one load are about, whatever changes before their answers: {file, device, by, axis}.
const aboutNow = () => ({...whereNow(), by: view.by, axis: view.axis});

// `part`: {first, last, columns}.
async function columnsFor(about, part) {
  const curve = askBytes({ask: 'curve', ...about, ...part});
  const span = about.axis === 'time' ? askJson({ask: 'span', ...about, ...part}) : {us: null};
  const [buffer, {us}] = await Promise.all([curve, span]), values = new Float64Array(buffer);
  return {...about, ...part, us, values, width: values.length / part.columns};
}

// The part of a curve with its bands, whose rows all have the same number of bytes, which the axis follows.
async function bandedFor(curve, rows) {
  const {file, device, by, axis, first, last, columns} = curve, rowBytes = Math.max(1, Math.ceil((mostBytes(curve) * HEADROOM) / rows));
  const buffer = await askBytes({ask: 'bands', file, device, by, axis, first, last, columns, rows, bytes_per_row: rowBytes});
  return {...curve, most: rowBytes * rows, bands: readBands(buffer, columns)};
}

async function foundFor({file, device, axis, first, last, columns}) {
  if (!view.search) return null;
  return {columns, values: new Float64Array(await askBytes({ask: 'found_curve', file, device, axis, first, last, columns}))};
}

// `size` returns the area of the curve: {width} in the units of the page, {rows} of the screen. `show` is called when
// there is something new to draw.
export function curveData({size, show}) {
  const data = {whole: null, shown: null, wholeFound: null, shownFound: null};
  let isStale = true, isFoundStale = true;
  // Each of these ends early if the data is stale again: then another load is waiting.
  async function loadWhole(about, columns) {
    isStale = false;
    const classes = await askJson({ask: 'classes', ...about});
    if (isStale) return;
    change({classes});
    data.whole = await columnsFor(about, {first: 0, last: deviceNow().events, columns});
  }
  async function loadShown(about, part, rows) {
    const curve = await columnsFor(about, part);
    if (!isStale) data.shown = await bandedFor(curve, rows);
  }
  const load = latestOnly(async () => {
    if (!hasDevice()) return;
    const {first, last} = view, about = aboutNow();
    const isMoved = isStale || !data.shown || data.shown.first !== first || data.shown.last !== last;
    const findsAll = isStale || isFoundStale;
    if (!isMoved && !findsAll) return;
    const {width, rows} = size(), columns = Math.max(LEAST_COLUMNS, Math.round(width));
    if (isStale) await loadWhole(about, columns);
    isFoundStale = false;
    if (isMoved && !isStale) await loadShown(about, {first, last, columns}, rows);
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
