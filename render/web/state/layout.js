// The segments, or a range of one -> their positions for a width: the same rules as in board_layout.cpp, which a test
// compares.
import {formatBytes, formatCount, formatPercent} from '../core/numbers.js';
import {sansWidth, UNIT} from '../core/text.js';
import {pieceAt} from './model.js';

export const STRIP = 18, CAPTION = 18, LINE_STEP = 21, BAND_STEP = 9, BAND_GAP = 18, CELL_GAP = 3, PLACE_HEADING = 24, PLACE_INDENT = 12;
const MOST_LINES_OF_BOARD = 44, FEWEST_LINES = 16, PIECES_PER_LINE = 12, LEAST_FITTED = 2 / 3, LEAST_CELL = 12, PIECE_WIDTH = 1.5, MAGNIFIED_LINES = 5;
const ZOOMED_PIECE = 24, MOST_ZOOMED_LINES = 24;

// By the rule of the file and not by the font, so that the picture does not change when its script starts.
const widthOf = (string) => sansWidth(string, 12);
const countText = (cell) => (cell.count === 1 ? '' : '×' + formatCount(cell.count));
const countWidth = (cell) => (cell.count === 1 ? 0 : widthOf(countText(cell)) + 6);
export const limit = (value, least, most) => Math.min(most, Math.max(least, value));

// Returns the bytes of all segments of a cell, which are drawn as one strip as long as all of them together.
const bytesOfAll = (cell) => cell.bytes * cell.count;

function scaleFor(cells, width) {
  let total = 0, largest = 1, pieces = 0, counts = 0;
  for (const cell of cells) {
    total += bytesOfAll(cell);
    largest = Math.max(largest, cell.bytes);
    pieces += cell.pieces.length;
    counts = Math.max(counts, countWidth(cell));
  }
  if (!total) return 0;
  const fewest = limit(pieces / PIECES_PER_LINE, 1, FEWEST_LINES);
  const line = width - PLACE_INDENT - counts;
  const scale = (limit(total / largest, fewest, MOST_LINES_OF_BOARD) * line) / total;
  const strips = Math.ceil(line / (largest * scale) - 0.001);
  const fitted = ((line + CELL_GAP) / strips - CELL_GAP) / largest;
  return fitted > scale * LEAST_FITTED ? Math.min(scale, fitted) : scale;
}

function magnificationOf(band, scale, width) {
  let bytes = 0, largest = 1, least = LEAST_CELL;
  for (const cell of band.cells) {
    bytes += bytesOfAll(cell);
    largest = Math.max(largest, bytesOfAll(cell));
    least = Math.max(least, PIECE_WIDTH * cell.pieces.length);
  }
  let times = 1;
  while (scale > 0 && largest * scale * times < least && largest * scale * times * 2 <= width &&
         (times === 1 || bytes * scale * times * 2 <= MAGNIFIED_LINES * width)) times *= 2;
  return times;
}

export class BoardLayout {
  constructor({places, cells}, width) {
    Object.assign(this, {places, width, scale: scaleFor(cells.filter(({place}) => !place || !place.isClosed), width), strips: [], texts: [], marks: [], left: 0, x: 0, y: 0, lineY: 0});
  }

  run() {
    this.places.forEach((place) => this.addPlace(place));
    this.height = this.y;
    return this;
  }

  addPlace(place) {
    const top = this.y;
    this.left = this.x = place.paint ? PLACE_INDENT : 0;
    if (this.places.length > 1 || place.paint) {
      const name = (place.isOther ? (place.isClosed ? '▸ ' : '▾ ') : '') + place.name;
      const end = this.left + widthOf(name) * 1.15 + 12;
      this.texts.push({x: this.left, y: this.y + 15, string: name, style: 'strong', place});
      const isBeside = end + widthOf(place.comment) <= this.width;
      const lines = isBeside ? [place.comment] : this.linesOf(place.comment, this.width - this.left);
      const first = this.y + (isBeside ? 15 : 32);
      lines.forEach((string, i) => this.texts.push({x: isBeside ? end : this.left, y: first + 17 * i, string, style: 'muted'}));
      this.y += PLACE_HEADING + (isBeside ? 0 : 17 * lines.length);
    }
    if (place.isClosed) return;
    place.bands.forEach((band) => this.addBand(band));
    this.endLine();
    if (place.paint) this.marks.push({y: top, height: this.y - top - BAND_STEP / 2, paint: place.paint});
  }

  addBand(band) {
    const times = magnificationOf(band, this.scale, this.width - this.left);
    const caption = band.caption + (times > 1 ? ` · drawn ${times}× wider` : '');
    const strips = band.cells.reduce((sum, cell) => sum + this.widthOfCell(cell, times) + countWidth(cell) + CELL_GAP, -CELL_GAP);
    const words = widthOf(caption), needed = Math.max(strips, words);
    if (this.x > this.left && this.x + BAND_GAP + needed <= this.width) this.x += BAND_GAP;
    else this.endLine();
    const begin = this.x;
    const lines = this.linesOf(caption, this.width - begin);
    lines.forEach((line, i) => this.texts.push({x: begin, y: this.y + 12 + 16 * i, string: line, style: 'small'}));
    const firstY = (this.lineY = this.y + CAPTION + 16 * (lines.length - 1));
    band.cells.forEach((cell) => this.addCell(cell, times));
    this.x = Math.max(this.x - CELL_GAP, begin + words);
    if (this.lineY > firstY || lines.length > 1) this.endLine();
  }

  // Wrapped between words, but never between a number and its unit.
  linesOf(words, room) {
    if (widthOf(words) <= room) return [words];
    const lines = [''];
    for (const word of words.split(new RegExp(` (?!${UNIT})`))) {
      const longer = lines[lines.length - 1] ? `${lines[lines.length - 1]} ${word}` : word;
      if (widthOf(longer) <= room || !lines[lines.length - 1]) lines[lines.length - 1] = longer;
      else lines.push(word);
    }
    return lines.map((line) => line.replace(/^· | ·$/g, ''));
  }

  widthOfCell(cell, times) {
    return Math.max(1, bytesOfAll(cell) * this.scale * times);
  }

  addCell(cell, times) {
    const width = this.widthOfCell(cell, times);
    if (this.x > this.left && this.x + width + countWidth(cell) > this.width + 0.01) this.nextLine();
    this.addStrips(cell, {begin: 0, end: cell.bytes, count: cell.count}, width, this.width - countWidth(cell) - this.x);
    if (cell.count > 1) this.texts.push({x: this.x + 3, y: this.lineY + 13, string: countText(cell), style: 'small muted'});
    this.x += countWidth(cell) + CELL_GAP;
  }

  // Splits a strip that needs several lines into parts of equal length.
  addStrips(cell, range, width, most) {
    const parts = Math.max(1, Math.ceil(width / most - 0.001)), bytes = range.end - range.begin;
    for (let i = 0; i < parts; ++i) {
      if (i) this.nextLine();
      this.strips.push({cell, count: range.count, x: this.x, y: this.lineY, width: width / parts,
                        begin: range.begin + (bytes * i) / parts, end: range.begin + (bytes * (i + 1)) / parts});
      this.x += width / parts;
    }
  }

  nextLine() {
    this.lineY += LINE_STEP;
    this.x = this.left;
  }

  endLine() {
    if (this.x > this.left) this.y = this.lineY + STRIP + BAND_STEP;
    this.x = this.left;
  }
}

// Lays out one segment, or a range of it, over the whole width, in as many lines as its pieces need.
export function zoomedLayout({cell, begin, end}, width) {
  const layout = new BoardLayout({places: [], cells: []}, width);
  const first = pieceAt(cell, begin), last = pieceAt(cell, end - 1) || cell.pieces[cell.pieces.length - 1];
  const pieces = first && last ? last.index - first.index + 1 : 1;
  const lines = limit(Math.ceil((pieces * ZOOMED_PIECE) / width), 1, MOST_ZOOMED_LINES);
  const isWhole = begin === 0 && end === cell.bytes;
  const range = isWhole ? '' : ` · ${formatBytes(end - begin)} from byte ${formatCount(begin)} on`;
  const caption = `${cell.address} · ${formatBytes(cell.bytes)}${range} · ${formatPercent(cell.used, cell.bytes)} in use`;
  layout.linesOf(caption, width).forEach((line, i) => {
    layout.texts.push({x: 0, y: 12 + 16 * i, string: line, style: 'small'});
    layout.lineY = CAPTION + 16 * i;
  });
  layout.addStrips(cell, {begin, end, count: 1}, lines * width, width);
  layout.scale = (lines * width) / (end - begin);
  layout.height = layout.lineY + STRIP + BAND_STEP;
  return layout;
}
