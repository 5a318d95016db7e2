// A layout -> shapes, as board_drawing.cpp draws them: one path per colour, so that twenty thousand blocks are a dozen
// elements; pieces are found by position.
import {make, svg} from '../core/dom.js';
import {formatBytes, formatCount} from '../core/numbers.js';
import {COLUMN_WIDTH, columnsOf, cutName, fitLineLabel} from '../core/text.js';
import {BoardLayout, STRIP, zoomedLayout} from './layout.js';
import {mostUsed, pieceAt} from './model.js';
import {board, boardGeometry, model, boardView} from './picture.js';

const NARROW_PIECE = 1.2, LEAST_PIECE = 3, GAP_FROM = 4, PIECE_GAP = 0.75, WORTH_A_LABEL = 60, PADDING = 4;
const scaleText = svg.querySelector('#board-scale');
export let layout = null;

const shapeOf = (x, y, width) => `M${x.toFixed(2)} ${y}h${width.toFixed(2)}v${STRIP}H${x.toFixed(2)}z`;
const columnsInPiece = (width) => Math.floor((width - 2 * PADDING) / COLUMN_WIDTH);

// Returns the size of a piece: "72 × 100 MiB" if it represents those of 72 segments that look the same.
const sizeText = (bytes, {count}) => (count > 1 ? `${formatCount(count)} × ${formatBytes(bytes)}` : formatBytes(bytes));

function blockLabel({name, place}, size, columns) {
  if (place) return fitLineLabel({name, place, note: size}, columns);
  const hasNoStack = name.startsWith('<no stack');
  const form = [`${name}  ${size}`, name, hasNoStack ? 'no stack' : name].find((one) => columnsOf(one) <= columns);
  return form || (columns >= 5 && !hasNoStack ? cutName(name, columns) : '');
}

class BoardDrawing {
  constructor() {
    this.shapes = new Map();
    this.labels = [];
  }

  addShape(name, shape) {
    if (!this.shapes.has(name)) this.shapes.set(name, []);
    this.shapes.get(name).push(shape);
  }

  // Neighbours that are too narrow are one shape, in the colour of the largest; a match is visible however narrow it
  // is.
  addStrip(strip) {
    const scale = strip.width / Math.max(1, strip.end - strip.begin);
    const {pieces} = strip.cell;
    const first = pieceAt(strip.cell, strip.begin);
    for (let i = first ? first.index : pieces.length; i < pieces.length && pieces[i].begin < strip.end;) {
      const run = {bytes: 0, used: 0, entry: null, most: -1, hit: false, pieces: 0, begin: pieces[i].begin, piece: pieces[i]};
      do {
        const piece = pieces[i];
        run.bytes += piece.bytes;
        run.used += piece.used;
        run.hit = run.hit || piece.hit;
        ++run.pieces;
        if (piece.used > run.most && piece.entry) [run.most, run.entry] = [piece.used, piece.entry];
        ++i;
      } while (i < pieces.length && pieces[i].begin < strip.end && run.bytes * scale < NARROW_PIECE && pieces[i].bytes * scale < NARROW_PIECE);
      run.hole = i < pieces.length && pieces[i].kind === 'hole' ? pieces[i].bytes * scale : 0;
      this.addRun(run, strip, scale);
    }
  }

  addRun(run, strip, scale) {
    const begin = Math.max(run.begin, strip.begin), end = Math.min(run.begin + run.bytes, strip.end);
    const x = strip.x + (begin - strip.begin) * scale, toScale = (end - begin) * scale;
    const width = Math.max(toScale, Math.min(LEAST_PIECE, toScale + run.hole / 2, strip.x + strip.width - x));
    const isOne = run.pieces === 1, {piece} = run;
    const hasLabel = isOne && (strip.begin - Math.min(strip.begin, run.begin)) * scale < WORTH_A_LABEL;
    const label = (paint, string) => hasLabel && string && this.labels.push({x: x + PADDING, y: strip.y + 13, string, paint});
    if (isOne && piece.kind === 'unaccounted') return this.addShape('unaccounted', shapeOf(x, strip.y, width));
    if (isOne && piece.kind === 'hole')
      label('free', ['free ' + sizeText(piece.bytes, strip), 'free'].find((form) => columnsOf(form) <= columnsInPiece(width)));
    if (!run.hit && !mostUsed(run)) return;
    const shape = shapeOf(x, strip.y, run.hit ? Math.max(1, width > GAP_FROM ? width - PIECE_GAP : width) : width > GAP_FROM ? width - PIECE_GAP : width);
    const paint = run.entry ? run.entry.paint : 'smaller';
    this.addShape(run.hit ? paint + ' hit' : paint, shape);
    if (!isOne || piece.kind !== 'block') return;
    if (piece.isPending) this.addShape('waiting', shape);
    label(paint, blockLabel(piece.entry.label, sizeText(piece.bytes, strip), columnsInPiece(width)));
  }

  elements() {
    const {waiting, ...rest} = Object.fromEntries(this.shapes);
    const drawn = [...Object.entries(rest), ...(waiting ? [['waiting', waiting]] : [])].map(([name, shapes]) => {
      const group = make('g', {class: name});
      group.append(make('path', {class: 'dust', d: shapes.join('')}));
      return group;
    });
    for (const {x, y, string, paint} of this.labels) {
      const group = make('g', {class: paint});
      group.append(make('text', {class: 'mono', x: x.toFixed(2), y}, string));
      drawn.push(group);
    }
    return drawn;
  }
}

export function draw() {
  layout = boardView.zoom ? zoomedLayout(boardView.zoom, boardGeometry.width) : new BoardLayout(model, boardGeometry.width).run();
  const drawing = new BoardDrawing(), ground = make('g', {class: 'free'});
  for (const strip of layout.strips) {
    ground.append(make('rect', {x: strip.x.toFixed(2), y: strip.y, width: strip.width.toFixed(2), height: STRIP}));
    drawing.addStrip(strip);
  }
  const marks = layout.marks.map(({y, height, paint}) => {
    const group = make('g', {class: paint});
    group.append(make('rect', {x: 0, y, width: 4, height, rx: 2}));
    return group;
  });
  const texts = layout.texts.map(({x, y, string, style, place}) => {
    const words = make('text', {class: style, x: x.toFixed(2), y}, string);
    if (place && place.isOther) Object.assign(words, {place}).classList.add('opener');
    return words;
  });
  board.replaceChildren(...marks, ground, ...drawing.elements(), ...texts, litMark, focusMark);
  layout.byLine = new Map();
  for (const strip of layout.strips) layout.byLine.set(strip.y, (layout.byLine.get(strip.y) || []).concat(strip));
  if (scaleText && layout.scale > 0) scaleText.textContent = `a pixel is ${formatBytes(1 / layout.scale)}`;
  drawLit();
  drawFocus();
}

// Returns the parts of a piece on the board: it may continue in the next line.
function partsOf(piece) {
  const parts = [];
  for (const strip of layout.strips) {
    if (strip.cell !== piece.cell || strip.end <= piece.begin || strip.begin >= piece.begin + piece.bytes) continue;
    const scale = strip.width / (strip.end - strip.begin);
    const begin = Math.max(strip.begin, piece.begin), end = Math.min(strip.end, piece.begin + piece.bytes);
    parts.push({x: strip.x + (begin - strip.begin) * scale, y: strip.y, width: Math.max(1, (end - begin) * scale)});
  }
  return parts;
}

// Returns the piece under a point of the page.
export function pieceUnder(point) {
  const x = point.x - boardGeometry.left, y = point.y - boardGeometry.top;
  for (const [top, strips] of layout.byLine) {
    if (y < top || y > top + STRIP) continue;
    const strip = strips.find((one) => x >= one.x && x <= one.x + one.width);
    if (strip) return pieceAt(strip.cell, Math.min(strip.end - 1, strip.begin + ((x - strip.x) / strip.width) * (strip.end - strip.begin)));
  }
  return null;
}

const litMark = make('path', {class: 'lit-mark'});
export function drawLit() {
  if (!layout) return; // draw() calls it again
  const parts = (boardView.lit || []).flatMap(partsOf);
  litMark.setAttribute('d', parts.map(({x, y, width}) => shapeOf(x, y, width)).join(''));
}

const focusMark = make('path', {class: 'focus-mark'});
export function drawFocus() {
  const parts = boardView.focus ? partsOf(boardView.focus) : [];
  focusMark.setAttribute('d', parts.map(({x, y, width}) => shapeOf(x, y, width)).join(''));
  return parts;
}
