// A chart's data and the part of it in view -> outlines, with the rules of timeline_layout.cpp: each column of three
// quarters of a pixel shows its highest state.
import {countBefore} from '../core/bisect.js';

const COLUMN = 0.75;

export function byteY(panel, bytes) {
  const value = Math.min(bytes, panel.top);
  if (value < panel.cut) return panel.height - (panel.cutHeight * value) / panel.cut;
  return (panel.height - panel.cutHeight) * (1 - (value - panel.cut) / (panel.top - panel.cut));
}

const halfPixels = (y) => Math.round(y * 2) / 2;
export const xOf = (panel, at) => ((at - panel.view.begin) / (panel.view.end - panel.view.begin)) * panel.width;

// Returns the last entry that begins at or before a position.
export const lastBefore = (list, at) => Math.max(0, countBefore(list.length, (i) => list[i] <= at) - 1);

// Maps each column to the entry with the extreme value among those in the column.
export function extremes(panel, at, values, isBetter) {
  const count = Math.max(1, Math.round(panel.width / COLUMN));
  const best = new Array(count).fill(-1);
  for (let i = lastBefore(at, panel.view.begin); i < at.length && at[i] < panel.view.end; ++i) {
    const next = i + 1 < at.length ? xOf(panel, at[i + 1]) : panel.width;
    const first = Math.min(count - 1, Math.max(0, Math.floor(xOf(panel, at[i]) / COLUMN)));
    const last = Math.min(count - 1, Math.max(first, Math.ceil(next / COLUMN) - 1));
    for (let column = first; column <= last; ++column)
      if (best[column] < 0 || isBetter(values[i], values[best[column]])) best[column] = i;
  }
  return best;
}

export function runsOf(columns) {
  const runs = [];
  columns.forEach((slice, column) => {
    const run = runs[runs.length - 1];
    if (run && run.slice === slice) run.end = column + 1;
    else if (slice >= 0) runs.push({first: column, end: column + 1, slice});
  });
  return runs;
}

function extend(shape, run, top, bottom) {
  shape.end = run.end;
  const last = shape.steps[shape.steps.length - 1];
  if (!last || last.top !== top || last.bottom !== bottom) shape.steps.push({first: run.first, top, bottom});
}

const emptyShape = () => ({steps: [], end: 0});
export const endOf = (shape, i) => (i + 1 < shape.steps.length ? shape.steps[i + 1].first : shape.end) * COLUMN;

export function topLine(shape) {
  if (!shape.steps.length) return '';
  let path = `M${shape.steps[0].first * COLUMN} `;
  shape.steps.forEach((step, i) => { path += (i ? 'V' : '') + step.top + 'H' + endOf(shape, i); });
  return path;
}

export function outline(shape) {
  if (shape.steps.every((step) => step.top >= step.bottom)) return '';
  let path = topLine(shape);
  for (let i = shape.steps.length - 1; i >= 0; --i)
    path += 'V' + shape.steps[i].bottom + 'H' + shape.steps[i].first * COLUMN;
  return path + 'z';
}

// Returns the widest part of a shape with room for a line of text.
export function roomIn(shape, least) {
  let widest = null;
  for (let begin = 0; begin < shape.steps.length;) {
    let {top, bottom} = shape.steps[begin];
    let end = begin + 1;
    for (; end < shape.steps.length; ++end) {
      const lower = Math.max(top, shape.steps[end].top), upper = Math.min(bottom, shape.steps[end].bottom);
      if (upper - lower < least) break;
      top = lower;
      bottom = upper;
    }
    const x = shape.steps[begin].first * COLUMN;
    const width = (end < shape.steps.length ? shape.steps[end].first : shape.end) * COLUMN - x;
    if (bottom - top >= least && (!widest || width > widest.width)) widest = {x, width, top, height: bottom - top};
    begin = end;
  }
  return widest;
}

// Bands beyond the requested detail are part of the strip of their line: strip -> changes, by slice.
function hiddenChanges(panel) {
  const changes = new Map();
  for (const band of panel.bands) {
    if (band.rank < panel.detail) continue;
    const strip = panel.stripOfLine.get(band.line) || panel.otherLines;
    if (!changes.has(strip)) changes.set(strip, new Float64Array(panel.states.length + 1));
    changes.get(strip)[band.first] += band.bytes;
    changes.get(strip)[band.last] -= band.bytes;
  }
  return changes;
}

function stripBytes(panel) {
  const hidden = hiddenChanges(panel);
  return new Map(panel.strips.map((strip) => {
    const changes = hidden.get(strip);
    if (!changes) return [strip, strip.bytes];
    let sum = 0;
    return [strip, strip.bytes.map((bytes, slice) => bytes + (sum += changes[slice]))];
  }));
}

// Returns the shapes of what is stacked, with the rules of StackLayout.
export function layOutStack(panel) {
  const shapes = {layers: new Map(panel.layers.map((layer) => [layer, emptyShape()])), bands: new Map(), strips: new Map(panel.strips.map((strip) => [strip, emptyShape()])), live: emptyShape(), lowest: emptyShape()};
  const drawn = panel.byFirst.filter((band) => band.rank < panel.detail);
  const inStrips = stripBytes(panel);
  const stripsOf = (layer, isBelow) => panel.strips.filter((strip) => strip.layer === layer && strip.isBelow === isBelow)
    .map((strip) => ({shape: shapes.strips.get(strip), bytes: inStrips.get(strip)}));
  const layers = panel.layers.map((layer) => ({layer, shape: shapes.layers.get(layer), below: stripsOf(layer, true), above: stripsOf(layer, false)}));
  let alive = [], next = 0; // alive: bands in stacking order
  for (const run of runsOf(extremes(panel, panel.at, panel.live, (one, other) => one > other))) {
    if (alive.some((band) => band.last <= run.slice)) alive = alive.filter((band) => band.last > run.slice);
    for (; next < drawn.length && drawn[next].first <= run.slice; ++next)
      if (drawn[next].last > run.slice) alive.splice(countBefore(alive.length, (i) => alive[i].index < drawn[next].index), 0, drawn[next]);
    let sum = 0, bottom = panel.height;
    const add = (shape, bytes) => {
      sum += bytes;
      const top = halfPixels(byteY(panel, sum));
      extend(shape, run, top, bottom);
      bottom = top;
    };
    let i = 0;
    for (const {layer, shape, below, above} of layers) {
      const ground = bottom;
      for (const strip of below) add(strip.shape, strip.bytes[run.slice]);
      for (; i < alive.length && alive[i].layer === layer; ++i) {
        if (!shapes.bands.has(alive[i])) shapes.bands.set(alive[i], emptyShape());
        add(shapes.bands.get(alive[i]), alive[i].bytes);
      }
      for (const strip of above) add(strip.shape, strip.bytes[run.slice]);
      extend(shape, run, bottom, ground);
    }
    extend(shapes.live, run, halfPixels(byteY(panel, panel.live[run.slice])), panel.height);
  }
  for (const run of runsOf(extremes(panel, panel.at, panel.live, (one, other) => one < other)))
    extend(shapes.lowest, run, halfPixels(byteY(panel, panel.live[run.slice])), panel.height);
  return shapes;
}

export function layOutReserved(panel) {
  const shape = emptyShape();
  const {at, bytes} = panel.reserved;
  for (const run of runsOf(extremes(panel, at, bytes, (one, other) => one > other)))
    extend(shape, run, halfPixels(byteY(panel, bytes[run.slice])), panel.height);
  return shape;
}
