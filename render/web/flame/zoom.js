// A zoom in progress: the boxes are painted on a canvas over the graph, because twenty thousand elements cannot be
// moved thirty times a second. At its end the elements are laid out once, and the canvas is removed.
import {html, make, svg} from '../core/dom.js';
import {fitLabel} from '../core/text.js';
import {GAP} from './elements.js';
import {columnsInBox} from './layout.js';
import {boxes, geometry, graph, heightOfRow, view} from './picture.js';
import {layOut} from './view.js';

const ZOOM_MS = 240, LEAST_PAINTED = 0.3, LEAST_LABELLED = 40, TALLEST_CANVAS = 4000;
let moving = null;
export const isMoving = () => moving !== null;

const wantsStillness = matchMedia('(prefers-reduced-motion: reduce)');

function coloursNow() {
  const colours = new Map();
  return (holder) => {
    const name = holder.paint;
    if (!colours.has(name)) {
      const probe = graph.appendChild(make('g', {class: name}));
      const rect = probe.appendChild(make('rect', {})), label = probe.appendChild(make('text', {}));
      // A pattern is named with the plain colour as a fallback.
      const fill = getComputedStyle(rect).fill.replace(/^url\([^)]*\) ?/, '');
      colours.set(name, {fill: fill || getComputedStyle(unknownGround).fill, text: getComputedStyle(label).fill});
      probe.remove();
    }
    return colours.get(name);
  };
}

const unknownGround = svg.querySelector('#unknown rect');

function openCanvas() {
  const height = Math.min(geometry.rows * geometry.rowHeight, TALLEST_CANVAS);
  const place = make('foreignObject', {x: geometry.left, y: geometry.top, width: geometry.width, height});
  const canvas = html('canvas', {style: `display:block;width:${geometry.width}px;height:${height}px`});
  const density = window.devicePixelRatio || 1;
  canvas.width = Math.ceil(geometry.width * density);
  canvas.height = Math.ceil(height * density);
  place.append(canvas);
  svg.append(place);
  const context = canvas.getContext('2d', {alpha: false});
  context.scale(density, density);
  context.font = '12px Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace';
  return {place, context, height, colourOf: coloursNow(), ground: getComputedStyle(svg.querySelector('#page')).fill};
}

function paintHolder(canvas, holder, x, row, width) {
  const {context} = canvas;
  const colour = canvas.colourOf(holder);
  const left = Math.max(0, x), right = Math.min(geometry.width, x + width), y = heightOfRow(row);
  context.fillStyle = colour.fill;
  context.fillRect(left, y, right - left > 3 ? right - left - GAP : right - left, geometry.boxHeight);
  if (right - left < LEAST_LABELLED) return;
  context.fillStyle = colour.text;
  const label = fitLabel(holder.label, columnsInBox(geometry, right - left, false));
  context.fillText(label, left + geometry.padding, y + geometry.baseline);
}

// Paints the graph as it is when `shown`, a range of units, takes the whole width.
function paint(canvas, shown) {
  canvas.context.fillStyle = canvas.ground;
  canvas.context.fillRect(0, 0, geometry.width, canvas.height);
  const scale = geometry.width / shown.width;
  for (let i = 0; i < boxes.length; ++i) {
    const box = boxes[i];
    const x = (box.x - shown.x) * scale, width = box.width * scale;
    if (width < LEAST_PAINTED || x > geometry.width || x + width < 0) i = box.end; // nor is anything below it
    else (box.parts || [box]).forEach((holder, j) => paintHolder(canvas, holder, x, box.row + j, width));
  }
}

function between(from, to, part) {
  const width = from.width * Math.pow(to.width / from.width, part);
  const share = from.width === to.width ? part : (width - from.width) / (to.width - from.width);
  return {x: from.x + (to.x - from.x) * share, width};
}

export function finishMoving() {
  if (!moving) return;
  const {canvas, request} = moving;
  moving = null;
  cancelAnimationFrame(request);
  layOut();
  canvas.place.remove();
}

// Lays out for the current zoom, starting from `before`.
export function layOutFrom(before) {
  const after = view.zoom;
  if (before === after || wantsStillness.matches || document.hidden) return layOut();
  const canvas = openCanvas();
  const start = performance.now();
  const step = (now) => {
    const part = Math.min(1, Math.max(0, now - start) / ZOOM_MS);
    paint(canvas, between(before, after, part * (2 - part)));
    moving.request = requestAnimationFrame(part < 1 ? step : finishMoving);
  };
  moving = {canvas, request: 0};
  step(start);
}
