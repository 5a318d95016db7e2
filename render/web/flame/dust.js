// Boxes that are too narrow to distinguish -> one path per colour. So the number of elements depends on the pixels, not
// on the boxes of the file.
import {countBefore} from '../core/bisect.js';
import {make} from '../core/dom.js';
import {LEAST_DRAWN} from './layout.js';
import {geometry, graph, heightOfRow} from './picture.js';

const LEAST_SPECK = 1;
const dust = {rows: [], places: new Map()};

// Neighbours in a row become specks of a pixel, in the colour of most of it.
class Specks {
  constructor() {
    this.paths = new Map();
    this.open = [];
  }

  add(row, x, width, paint) {
    const speck = this.open[row];
    if (speck && x - speck.end < 0.01 && speck.end - speck.x < LEAST_SPECK) {
      speck.end = x + width;
      speck.widths.set(paint, (speck.widths.get(paint) || 0) + width);
      return;
    }
    if (speck) this.flush(row);
    this.open[row] = {x, end: x + width, widths: new Map([[paint, width]])};
  }

  flush(row) {
    const {x, end, widths} = this.open[row];
    const [paint] = [...widths].reduce((most, one) => (one[1] > most[1] ? one : most));
    const shape = `M${x.toFixed(2)} ${heightOfRow(row)}h${(end - x).toFixed(2)}v${geometry.boxHeight}H${x.toFixed(2)}z`;
    if (!this.paths.has(paint)) this.paths.set(paint, []);
    this.paths.get(paint).push(shape);
  }

  take() {
    this.open.forEach((speck, row) => this.flush(row));
    return this.paths;
  }
}

function dustPlace(paint) {
  if (!dust.places.has(paint)) {
    const place = make('g', {class: paint});
    place.append(make('path', {class: 'dust'}));
    place.isDust = true;
    dust.places.set(paint, place);
  }
  return dust.places.get(paint);
}

// Draws matches of a search again on top.
export function drawDust(narrow) {
  const specks = new Specks(), hits = new Specks();
  dust.rows = [];
  for (const box of narrow) {
    (dust.rows[box.row] = dust.rows[box.row] || []).push(box);
    specks.add(box.row, box.span.x, box.span.width, box.paint);
    if (box.hit) hits.add(box.row, box.span.x, Math.max(box.span.width, LEAST_DRAWN), 'match');
  }
  for (const place of dust.places.values()) place.remove();
  for (const [paint, shapes] of [...specks.take(), ...hits.take()]) {
    const place = dustPlace(paint);
    place.firstChild.setAttribute('d', shapes.join(''));
    graph.append(place);
  }
}

// Returns the box under a point of the page.
export function dustAt(point) {
  const row = Math.floor((point.y - geometry.top) / geometry.rowHeight);
  const inRow = dust.rows[geometry.upward ? geometry.rows - 1 - row : row] || [];
  const x = point.x - geometry.left;
  return inRow[Math.max(0, countBefore(inRow.length, (i) => inRow[i].span.x <= x) - 1)] || null;
}
