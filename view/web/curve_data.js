// The data of the curve: columns of the whole recording and of the shown range, the bands of this range, and the bytes
// that a search has found in both.
import {readBands} from './bands.js';
import {mostBytes} from './curve_drawing.js';
import {askBytes, askJson, latestOnly} from './engine.js';
import {change, deviceNow, hasDevice, view, whereNow} from './model.js';

const HEADROOM = 1.12; // of the highest value, for the words above it
const HEAD_OF_COLUMN = 3, LEAST_COLUMNS = 50;

async function columnsFor(first, last, columns) {
  const {by, axis} = view;
  const buffer = await askBytes({ask: 'curve', ...whereNow(), first, last, columns, by, axis});
  const us = axis === 'time' ? (await askJson({ask: 'span', ...whereNow(), first, last})).us : null;
  return {first, last, axis, columns, us, values: new Float64Array(buffer), width: HEAD_OF_COLUMN + view.classes.length};
}

// A part of the curve with its bands, whose rows all have the same number of bytes, which the axis follows.
async function bandedFor(first, last, {columns, rows}) {
  const curve = await columnsFor(first, last, columns);
  const rowBytes = Math.max(1, Math.ceil((mostBytes(curve) * HEADROOM) / rows));
  const buffer = await askBytes({ask: 'bands', ...whereNow(), first, last, columns, by: view.by, axis: curve.axis, rows, bytes_per_row: rowBytes});
  return {...curve, most: rowBytes * rows, bands: readBands(buffer, columns)};
}

async function foundFor({first, last, columns, axis}) {
  if (!view.search) return null;
  return {columns, values: new Float64Array(await askBytes({ask: 'found_curve', ...whereNow(), first, last, columns, axis}))};
}

// `size` returns the area of the curve: {width} in the units of the page, {rows} of the screen. `show` is called when
// there is something new to draw.
export function curveData({size, show}) {
  const data = {whole: null, shown: null, wholeFound: null, shownFound: null};
  let isStale = true, isFoundStale = true;
  const load = latestOnly(async () => {
    if (!hasDevice()) return;
    const isMoved = isStale || !data.shown || data.shown.first !== view.first || data.shown.last !== view.last;
    const findsAll = isStale || isFoundStale;
    if (!isMoved && !findsAll) return;
    const {width, rows} = size(), columns = Math.max(LEAST_COLUMNS, Math.round(width));
    if (isStale) {
      isStale = false;
      change({classes: await askJson({ask: 'classes', ...whereNow(), by: view.by})});
      data.whole = await columnsFor(0, deviceNow().events, columns);
    }
    isFoundStale = false;
    if (isMoved) data.shown = await bandedFor(view.first, view.last, {columns, rows});
    if (findsAll) data.wholeFound = await foundFor(data.whole);
    data.shownFound = await foundFor(data.shown);
    show();
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
