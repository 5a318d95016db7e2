// The curve: live bytes over all events, by line or kind, with an overview below. Drags move the playhead, drags on the
// overview choose the shown range, the wheel zooms.
import {byId, isDark, oncePerFrame, restingDrawing} from './elements.js';
import {askBytes, askJson, latestOnly} from './engine.js';
import {change, deviceNow, goTo, hasDevice, showRange, view, watch, whereNow} from './model.js';
import {formatBytes, formatCount} from '../../render/web/core/numbers.js';

const HEADROOM = 1.12; // of the highest value, for the words above it
const HEAD = 3; // doubles of a column before those of its classes: state, live, reserved
const curveCanvas = byId('curve'), map = byId('map');
let whole = null, shownCurve = null, isStale = true;
export const classes = {list: [], listeners: []};

const colours = () => (isDark()
  ? {ink: '#e6e8ec', dim: '#9aa1ad', line: '#e6e8ec', reserved: '#9aa1ad', head: '#ff6bb3', page: '#15171c', other: '#62b0ee', oom: '#f2837b', brush: '#ffffff22', veil: '#15171ccc'}
  : {ink: '#1d2026', dim: '#5a606b', line: '#1d2026', reserved: '#6b7280', head: '#d01c8b', page: '#fcfcfa', other: '#1d5f9e', oom: '#b3261e', brush: '#00000014', veil: '#fcfcfacc'});
export const colourOf = (one) => (isDark() ? one.dark : one.light);

async function columnsFor(first, last, columns) {
  const {by, axis} = view;
  const buffer = await askBytes({ask: 'curve', ...whereNow(), first, last, columns, by, axis});
  return {first, last, axis, columns, values: new Float64Array(buffer), width: HEAD + classes.list.length};
}

const columnCount = () => Math.max(50, Math.round(curveCanvas.getBoundingClientRect().width));

const loadCurve = latestOnly(async () => {
  if (!hasDevice()) return;
  if (isStale) {
    isStale = false;
    classes.list = await askJson({ask: 'classes', ...whereNow(), by: view.by});
    for (const changed of classes.listeners) changed();
    whole = await columnsFor(0, deviceNow().events, columnCount());
  } else if (shownCurve && shownCurve.first === view.first && shownCurve.last === view.last) {
    return;
  }
  shownCurve = await columnsFor(view.first, view.last, columnCount());
  drawAnew();
});

// Converts between a position in the drawing and a state; columns are equal parts of the axis.
function stateAt(curve, share) {
  const column = Math.max(0, Math.min(curve.columns - 1, Math.floor(share * curve.columns)));
  const state = (i) => (i < curve.columns ? curve.values[i * curve.width] : curve.last);
  if (curve.axis === 'time') return state(column);
  return Math.round(curve.first + share * (curve.last - curve.first));
}

function shareOf(curve, state) {
  if (curve.axis !== 'time') return (state - curve.first) / Math.max(1, curve.last - curve.first);
  let low = 0, high = curve.columns;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (curve.values[middle * curve.width] < state) low = middle + 1;
    else high = middle;
  }
  return low / curve.columns;
}

function mostBytes(curve) {
  let most = 1;
  for (let i = 0; i < curve.columns; ++i) most = Math.max(most, curve.values[i * curve.width + 1], curve.values[i * curve.width + 2]);
  return most;
}

function drawLayers(context, curve, width, height, most) {
  const step = width / curve.columns;
  for (let i = 0; i < curve.columns; ++i) {
    let y = height;
    for (let layer = 0; layer < classes.list.length; ++layer) {
      const high = (curve.values[i * curve.width + HEAD + layer] / most) * height;
      if (high <= 0) continue;
      context.fillStyle = colourOf(classes.list[layer]);
      context.fillRect(i * step, y - high, step + 0.5, high);
      y -= high;
    }
  }
}

function drawLine(context, curve, width, height, most, value, style) {
  const step = width / curve.columns;
  context.beginPath();
  for (let i = 0; i < curve.columns; ++i) {
    const y = height - (curve.values[i * curve.width + value] / most) * height;
    context.lineTo(i * step, y);
    context.lineTo((i + 1) * step, y);
  }
  Object.assign(context, style);
  context.setLineDash(style.dash || []);
  context.stroke();
  context.setLineDash([]);
}

function drawPlayhead({context, width, height}, curve, state, colour) {
  context.fillStyle = colour;
  context.fillRect(Math.max(0, Math.min(width - 2, shareOf(curve, state) * width - 1)), 0, 2, height);
}

// Writes words with an outline in the colour of the page, so that they are readable over the layers.
function drawWords(context, words, x, y, colour, rim) {
  Object.assign(context, {lineWidth: 3, strokeStyle: rim, fillStyle: colour, lineJoin: 'round'});
  context.strokeText(words, x, y);
  context.fillText(words, x, y);
}

// Errors, earlier snapshots and annotations, if there is room for them.
function drawMarks(context, width, height, palette) {
  const device = deviceNow();
  context.font = '11px system-ui, sans-serif';
  for (const mark of device.marks) {
    if (mark.state < shownCurve.first || mark.state > shownCurve.last) continue;
    const x = shareOf(shownCurve, mark.state) * width;
    context.fillStyle = mark.kind === 'oom' ? palette.oom : palette.dim;
    context.fillRect(x - 0.5, 0, 1, height);
    if (mark.kind === 'oom') drawWords(context, `out of memory: asked for ${formatBytes(mark.bytes)}`, Math.min(x + 5, width - 210), 11, palette.oom, palette.page);
  }
  for (const span of device.annotations) {
    const x = shareOf(shownCurve, span.first) * width, end = shareOf(shownCurve, span.last) * width;
    if (end < 0 || x > width || end - x < 3) continue;
    const y = height - 12 * (span.row + 1);
    context.fillStyle = palette.brush;
    context.fillRect(x, y, Math.max(1, end - x - 1), 11);
    if (end - x < 40) continue;
    context.save();
    context.beginPath();
    context.rect(Math.max(0, x), y, end - Math.max(0, x), 12);
    context.clip();
    context.fillStyle = palette.ink;
    context.fillText(span.name, Math.max(0, x) + 3, y + 9);
    context.restore();
  }
}

function drawScale(context, width, height, most, palette) {
  context.font = '11px system-ui, sans-serif';
  drawWords(context, formatBytes(most), 4, 11, palette.dim, palette.page);
  const place = (state) => (state > 0 ? `event ${formatCount(state - 1)}` : 'before the first event');
  byId('first').textContent = place(shownCurve.first);
  byId('last').textContent = place(shownCurve.last);
}

const restingCurve = restingDrawing(curveCanvas, ({context, width, height}) => {
  const palette = colours(), most = mostBytes(shownCurve) * HEADROOM;
  drawLayers(context, shownCurve, width, height, most);
  drawLine(context, shownCurve, width, height, most, 1, {strokeStyle: palette.line, lineWidth: 1});
  drawLine(context, shownCurve, width, height, most, 2, {strokeStyle: palette.reserved, lineWidth: 1, dash: [4, 3]});
  drawMarks(context, width, height, palette);
  drawScale(context, width, height, most, palette);
});
const restingMap = restingDrawing(map, ({context, width, height}) => drawLayers(context, whole, width, height, mostBytes(whole)));

function drawCurve() {
  if (!shownCurve || !whole || !hasDevice()) return;
  const palette = colours();
  const paper = restingCurve.paint(), isShown = (state) => state !== null && state >= shownCurve.first && state <= shownCurve.last;
  if (isShown(view.other)) drawPlayhead(paper, shownCurve, view.other, palette.other);
  if (isShown(view.state)) drawPlayhead(paper, shownCurve, view.state, palette.head);
  drawMap(palette);
}

function drawMap(palette) {
  const paper = restingMap.paint(), {context, width, height} = paper;
  const left = shareOf(whole, view.first) * width, right = shareOf(whole, view.last) * width;
  context.fillStyle = palette.veil;
  context.fillRect(0, 0, left, height);
  context.fillRect(right, 0, width - right, height);
  context.strokeStyle = palette.ink;
  context.strokeRect(left + 0.5, 0.5, Math.max(2, right - left - 1), height - 1);
  drawPlayhead(paper, whole, view.state, palette.head);
}

const drawCurveSoon = oncePerFrame(drawCurve);

function drawAnew() {
  restingCurve.forget();
  restingMap.forget();
  drawCurveSoon();
}

const shareIn = (target, event) => {
  const {left, width} = target.getBoundingClientRect();
  return Math.max(0, Math.min(1, (event.clientX - left) / width));
};

function onDrag(target, begin, move) {
  target.addEventListener('pointerdown', (down) => {
    target.setPointerCapture(down.pointerId);
    begin(shareIn(target, down), down);
    const follow = (event) => move(shareIn(target, event), event);
    target.addEventListener('pointermove', follow);
    target.addEventListener('pointerup', () => target.removeEventListener('pointermove', follow), {once: true});
  });
}

function zoomAround(factor, share) {
  const length = (view.last - view.first) * factor, at = view.first + share * (view.last - view.first);
  showRange(at - share * length, at + (1 - share) * length);
}
export const zoomCurve = (factor) => zoomAround(factor, Math.max(0, Math.min(1, shareOf(shownCurve, view.state))));

function loadAnew() {
  isStale = true;
  loadCurve({});
}

export function startCurve() {
  const seek = (share, event) => {
    const state = stateAt(shownCurve, share);
    if (event.shiftKey) change({other: state});
    else goTo(state);
  };
  onDrag(curveCanvas, seek, seek);
  curveCanvas.addEventListener('wheel', (event) => {
    event.preventDefault();
    const share = shareIn(curveCanvas, event);
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      const by = (event.deltaX / curveCanvas.clientWidth) * (view.last - view.first);
      showRange(view.first + by, view.last + by);
    } else {
      zoomAround(event.deltaY > 0 ? 1.25 : 0.8, share);
    }
  }, {passive: false});
  let from = 0;
  onDrag(map, (share) => (from = share), (share) => {
    const [left, right] = from < share ? [from, share] : [share, from];
    if (right - left > 0.004) showRange(stateAt(whole, left), stateAt(whole, right));
  });
  map.addEventListener('dblclick', () => showRange(0, deviceNow().events));
  watch(['file', 'device', 'by', 'axis'], loadAnew);
  watch(['first', 'last'], () => loadCurve({}));
  watch(['state', 'other'], drawCurveSoon);
  window.addEventListener('resize', () => whole && loadAnew());
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAnew);
}
