// The curve: live bytes over all events, by line or kind, with an overview below. A click moves the playhead, a drag
// selects a range; on the ruler below the curve, and from the playhead, a drag moves the playhead. Drags on the overview
// choose the shown range, the wheel zooms.
import {colourOf, colours, drawByteAxis, drawFound, drawHits, drawLayers, drawLine, drawMarks, drawPlayhead, drawRange, drawRuler, drawSpans, mostBytes, RULER, shareOf, stateAt} from './curve_drawing.js';
import {byId, oncePerFrame, restingDrawing} from './elements.js';
import {askBytes, askJson, latestOnly} from './engine.js';
import {change, deviceNow, goTo, hasDevice, jumpTo, rangeNow, showRange, view, watch, whereNow} from './model.js';
import {formatCount} from '../../render/web/core/numbers.js';

const HEADROOM = 1.12; // of the highest value, for the words above it
const HEAD_OF_COLUMN = 3, HIT_HEIGHT = 6, MAP_HIT_HEIGHT = 3;
const GRIP = 6; // pixels around the playhead and around an error's line in which a press means these
const LEAST_DRAG = 4;
const curveCanvas = byId('curve'), map = byId('map');
let whole = null, shownCurve = null, wholeFound = null, shownFound = null, isStale = true, isFoundStale = true;
export const classes = {list: [], listeners: []};

async function columnsFor(first, last, columns) {
  const {by, axis} = view;
  const buffer = await askBytes({ask: 'curve', ...whereNow(), first, last, columns, by, axis});
  const us = axis === 'time' ? (await askJson({ask: 'span', ...whereNow(), first, last})).us : null;
  return {first, last, axis, columns, us, values: new Float64Array(buffer), width: HEAD_OF_COLUMN + classes.list.length};
}

async function foundFor({first, last, columns, axis}) {
  if (!view.search) return null;
  return {columns, values: new Float64Array(await askBytes({ask: 'found_curve', ...whereNow(), first, last, columns, axis}))};
}

const columnCount = () => Math.max(50, Math.round(curveCanvas.getBoundingClientRect().width));

const loadCurve = latestOnly(async () => {
  if (!hasDevice()) return;
  const isMoved = isStale || !shownCurve || shownCurve.first !== view.first || shownCurve.last !== view.last;
  const findsAll = isStale || isFoundStale;
  if (!isMoved && !findsAll) return;
  if (isStale) {
    isStale = false;
    classes.list = await askJson({ask: 'classes', ...whereNow(), by: view.by});
    for (const changed of classes.listeners) changed();
    whole = await columnsFor(0, deviceNow().events, columnCount());
  }
  isFoundStale = false;
  if (isMoved) shownCurve = await columnsFor(view.first, view.last, columnCount());
  if (findsAll) wholeFound = await foundFor(whole);
  shownFound = await foundFor(shownCurve);
  drawAnew();
});

const placeOfState = (state) => (state > 0 ? `event ${formatCount(state - 1)}` : 'before the first event');

const restingCurve = restingDrawing(curveCanvas, (paper) => {
  const palette = colours(), most = mostBytes(shownCurve) * HEADROOM, area = {...paper, height: paper.height - RULER};
  drawLayers(area, shownCurve, classes.list, most);
  if (shownFound) drawFound(area, shownFound, most, palette);
  drawLine(area, shownCurve, most, 1, {strokeStyle: palette.line, lineWidth: 1});
  drawLine(area, shownCurve, most, 2, {strokeStyle: palette.reserved, lineWidth: 1, dash: [4, 3]});
  drawByteAxis(area, most, palette);
  if (shownFound) drawHits(area, shownFound, palette, HIT_HEIGHT);
  drawSpans(area, shownCurve, deviceNow().annotations, palette);
  drawMarks(area, shownCurve, deviceNow().marks, palette);
  drawRuler(area, shownCurve, palette);
  byId('first').textContent = placeOfState(shownCurve.first);
  byId('last').textContent = placeOfState(shownCurve.last);
});
const restingMap = restingDrawing(map, (paper) => {
  drawLayers(paper, whole, classes.list, mostBytes(whole));
  if (wholeFound) drawHits(paper, wholeFound, colours(), MAP_HIT_HEIGHT);
});

function drawCurve() {
  if (!shownCurve || !whole || !hasDevice()) return;
  const palette = colours(), paper = restingCurve.paint(), {state, other} = view;
  const isShown = (one) => one !== null && one >= shownCurve.first && one <= shownCurve.last;
  if (other !== null) drawRange({...paper, height: paper.height - RULER}, shownCurve, rangeNow().first, rangeNow().last, palette);
  if (isShown(other)) drawPlayhead(paper, shownCurve, other, palette.other);
  if (isShown(state)) drawPlayhead(paper, shownCurve, state, palette.head);
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

// Calls `begin` at a press, which returns what a drag does, and what the end of it does.
function onDrag(target, begin) {
  target.addEventListener('pointerdown', (down) => {
    target.setPointerCapture(down.pointerId);
    const {move, end = () => {}} = begin(shareIn(target, down), down);
    const follow = (event) => move(shareIn(target, event), event);
    target.addEventListener('pointermove', follow);
    target.addEventListener('pointerup', (event) => {
      target.removeEventListener('pointermove', follow);
      end(shareIn(target, event));
    }, {once: true});
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

const pixelsFrom = (share, state) => Math.abs(share - shareOf(shownCurve, state)) * curveCanvas.clientWidth;

// The state of a press: an error's, where it is near the line of one.
function pressedState(share) {
  const error = deviceNow().marks.find((mark) => mark.kind === 'oom' && pixelsFrom(share, mark.state) <= GRIP);
  return error ? error.state : stateAt(shownCurve, share);
}

function dragPlayhead(share) {
  jumpTo(pressedState(share));
  return {move: (to) => goTo(stateAt(shownCurve, to))};
}

// A press that does not move is a click, which ends a selection; one that does selects from there.
let draggedMark = null;
function dragRange(share, down) {
  let isDragged = false;
  const from = pressedState(share);
  return {
    move(to, event) {
      isDragged = isDragged || Math.abs(event.clientX - down.clientX) >= LEAST_DRAG;
      if (!isDragged) return;
      draggedMark = from;
      change({other: from});
      goTo(stateAt(shownCurve, to));
    },
    end() {
      if (isDragged) return;
      if (view.other !== null && view.other === draggedMark) change({other: null});
      jumpTo(from);
    },
  };
}

function dragMark(share) {
  const set = (at) => change({other: stateAt(shownCurve, at)});
  set(share);
  return {move: set};
}

function beginDrag(share, down) {
  const isOnRuler = down.clientY - curveCanvas.getBoundingClientRect().top > curveCanvas.clientHeight - RULER;
  if (down.shiftKey) return dragMark(share);
  if (isOnRuler || down.pointerType === 'touch' || pixelsFrom(share, view.state) <= GRIP) return dragPlayhead(share);
  return dragRange(share, down);
}

function onWheel(event) {
  event.preventDefault();
  if (Math.abs(event.deltaX) <= Math.abs(event.deltaY)) return zoomAround(event.deltaY > 0 ? 1.25 : 0.8, shareIn(curveCanvas, event));
  const by = (event.deltaX / curveCanvas.clientWidth) * (view.last - view.first);
  showRange(view.first + by, view.last + by);
}

function dragShown(from) {
  return {move(share) {
    const [left, right] = from < share ? [from, share] : [share, from];
    if (right - left > 0.004) showRange(stateAt(whole, left), stateAt(whole, right));
  }};
}

export function startCurve() {
  onDrag(curveCanvas, beginDrag);
  curveCanvas.addEventListener('wheel', onWheel, {passive: false});
  onDrag(map, dragShown);
  map.addEventListener('dblclick', () => showRange(0, deviceNow().events));
  watch(['file', 'device', 'by', 'axis'], loadAnew);
  watch(['first', 'last'], () => loadCurve({}));
  watch(['search'], () => {
    isFoundStale = true;
    loadCurve({});
  });
  watch(['state', 'other'], drawCurveSoon);
  window.addEventListener('resize', () => whole && loadAnew());
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAnew);
}
