// The curve: each allocation as a band over all events, by line, kind or keeper, with an overview below. A click moves
// the playhead and pins the band, a drag selects a range, with Ctrl a box to zoom into; on the ruler below the curve, and
// from the playhead, a drag moves the playhead. Drags on the overview choose the shown range, the wheel zooms.
import {bandsImage, drawImageOf, lifeAt, litImage} from './bands.js';
import {curveData, HEADROOM} from './curve_data.js';
import {colours, drawBox, drawByteAxis, drawFound, drawHits, drawLayers, drawLine, drawMarks, drawPlayhead, drawRange, drawRuler, drawSpan, drawSpans, mostBytes, RULER, shareOf, stateAt} from './curve_drawing.js';
import {onDrag, onWheel} from './curve_pointer.js';
import {byId, oncePerFrame, restingDrawing} from './elements.js';
import {lightsUnder} from './hover.js';
import {deviceNow, goTo, hasDevice, isHere, jumpTo, LEAST_BYTES, rangeNow, showAll, showBox, showRange} from './model.js';
import {formatCount} from '../../render/web/core/numbers.js';

const HIT_HEIGHT = 6, MAP_HIT_HEIGHT = 3, LEAST_SHARE = 0.004;
const FIT_ROOM = 0.08, HEIGHT_STEP = 0.25; // shares of the shown bytes
const GRIP = 6; // pixels around the playhead and around an error's line in which a press means these

const placeOfState = (state) => (state > 0 ? `event ${formatCount(state - 1)}` : 'before the first event');
const areaOf = (paper) => ({...paper, height: paper.height - RULER});

function drawResting(/** @type {Page} */ page, paper, {shown, shownFound}) {
  const palette = colours(), area = areaOf(paper);
  drawImageOf(area, bandsImage(shown.bands, page.view.classes));
  if (shownFound) drawFound(area, shownFound, shown, palette);
  drawLine(area, shown, 1, {strokeStyle: palette.line, lineWidth: 1});
  drawLine(area, shown, 2, {strokeStyle: palette.reserved, lineWidth: 1, dash: [4, 3]});
  drawByteAxis(area, shown, palette);
  if (shownFound) drawHits(area, shownFound, palette, HIT_HEIGHT);
  drawSpans(area, shown, deviceNow(page).annotations, palette);
  drawMarks(area, shown, deviceNow(page).marks, palette);
  drawRuler(area, shown, palette);
  byId('first').textContent = placeOfState(shown.first);
  byId('last').textContent = placeOfState(shown.last);
}

// Draws what is lit over the bands, and keeps the image until something else is.
function litDrawing(/** @type {Page} */ page, data) {
  let image = null, of = [];
  return (area) => {
    const {lit, pinned} = page.view, {bands} = data.shown;
    if (!lit && !pinned) return;
    const wanted = [lit, pinned, bands], palette = colours();
    if (!image || wanted.some((one, i) => one !== of[i])) image = litImage(bands, {lit, pinned, page: palette.page, head: palette.head});
    of = wanted;
    drawImageOf(area, image);
    if (pinned) drawSpan(area, data.shown, pinned.life, palette.head);
  };
}

function curvePainter(/** @type {Page} */ page, curve, map, data) {
  const resting = restingDrawing(curve, (paper) => drawResting(page, paper, data)), drawLit = litDrawing(page, data);
  const restingMap = restingDrawing(map, (paper) => {
    drawLayers(paper, data.whole, page.view.classes, mostBytes(data.whole));
    if (data.wholeFound) drawHits(paper, data.wholeFound, colours(), MAP_HIT_HEIGHT);
  });
  function drawMap(palette) {
    const paper = restingMap.paint(), {context, width, height} = paper;
    const left = shareOf(data.whole, page.view.first) * width, right = shareOf(data.whole, page.view.last) * width;
    context.fillStyle = palette.veil;
    context.fillRect(0, 0, left, height);
    context.fillRect(right, 0, width - right, height);
    context.strokeStyle = palette.ink;
    context.strokeRect(left + 0.5, 0.5, Math.max(2, right - left - 1), height - 1);
    drawPlayhead(paper, data.whole, page.view.state, palette.head);
  }
  function draw() {
    const {shown, whole} = data, {state, other} = page.view;
    if (!shown || !whole || !hasDevice(page)) return;
    const palette = colours(), paper = resting.paint();
    const isShown = (one) => one !== null && one >= shown.first && one <= shown.last;
    drawLit(areaOf(paper));
    if (other !== null) drawRange(areaOf(paper), shown, rangeNow(page).first, rangeNow(page).last, palette);
    if (isShown(other)) drawPlayhead(paper, shown, other, palette.other);
    if (isShown(state)) drawPlayhead(paper, shown, state, palette.head);
    if (data.box) drawBox(areaOf(paper), data.box, palette);
    drawMap(palette);
  }
  const drawSoon = oncePerFrame(draw);
  return {drawSoon, drawAnew() {
    resting.forget();
    restingMap.forget();
    drawSoon();
  }};
}

// Presses on the curve. `lifeOf(event)` returns the index of the allocation at a place.
function curvePresses(/** @type {Page} */ page, curve, data, lifeOf, drawSoon) {
  const pixelsFrom = (share, state) => Math.abs(share - shareOf(data.shown, state)) * curve.clientWidth;
  let draggedMark = null;
  // The state of a press: an error's, where it is near the line of one.
  function pressedState(share) {
    const error = deviceNow(page).marks.find((mark) => mark.kind === 'oom' && pixelsFrom(share, mark.state) <= GRIP);
    return error ? error.state : stateAt(data.shown, share);
  }
  const follow = (share) => goTo(page, stateAt(data.shown, share));
  function dragPlayhead(share, down) {
    const life = lifeOf(down);
    jumpTo(page, pressedState(share));
    return {move: follow, click: () => life !== null && page.change({life})};
  }
  function dragMark(share) {
    const set = (at) => page.change({other: stateAt(data.shown, at)});
    set(share);
    return {move: set};
  }
  // A click ends a selection, moves the playhead, and pins what is there; a drag selects.
  function dragRange(share, down) {
    const from = pressedState(share), life = lifeOf(down);
    return {
      move(to) {
        draggedMark = from;
        page.change({other: from});
        follow(to);
      },
      click() {
        if (page.view.other !== null && page.view.other === draggedMark) page.change({other: null});
        if (life !== null) page.change({life});
        jumpTo(page, from);
      },
    };
  }
  // From a corner of the box to the opposite one.
  function dragBox(share, down) {
    const placeOf = (x, event) => ({x, y: Math.max(0, Math.min(1, heightShare(curve, event)))}), from = placeOf(share, down), {shown} = data;
    return {
      move(to, event) {
        data.box = {from, to: placeOf(to, event)};
        drawSoon();
      },
      end() {
        const {to} = data.box, [left, right] = [from.x, to.x].sort((one, other) => one - other), [top, bottom] = [from.y, to.y].sort((one, other) => one - other);
        data.box = null;
        if (data.shown !== shown || bottom - top < LEAST_SHARE || right - left < LEAST_SHARE) return drawSoon();
        showBox(page, {first: stateAt(shown, left), last: stateAt(shown, right), low: bytesAt(shown, bottom), high: bytesAt(shown, top)});
      },
    };
  }
  return (share, down) => {
    const isOnRuler = down.clientY - curve.getBoundingClientRect().top > curve.clientHeight - RULER;
    if (!data.shown) return {};
    if (down.shiftKey) return dragMark(share);
    if ((down.ctrlKey || down.metaKey) && !isOnRuler) return dragBox(share, down);
    if (isOnRuler || down.pointerType === 'touch' || pixelsFrom(share, page.view.state) <= GRIP) return dragPlayhead(share, down);
    return dragRange(share, down);
  };
}

// The place of an event in the height of the bands, as a share from the top; and the bytes there.
const heightShare = (curve, {clientY}) => (clientY - curve.getBoundingClientRect().top) / (curve.clientHeight - RULER);
const bytesAt = ({low, most}, share) => low + (1 - share) * most;

// The bytes that are asked for last, which may not be drawn yet.
/** @type {(page: Page, shown: import('./types.js').Banded) => {low: number, most: number}} */
const askedBytes = (page, {low, most}) => (page.view.high === null ? {low, most} : {low: page.view.low ?? 0, most: page.view.high - (page.view.low ?? 0)});

// Zooms the bytes around those at a share of the height: at most to all of them, and nothing below 0.
/** @type {(page: Page, shown: import('./types.js').Banded, factor: number, share: number) => void} */
function zoomBytes(page, shown, factor, share) {
  const asked = askedBytes(page, shown), at = bytesAt(asked, share), length = Math.max(LEAST_BYTES, asked.most * factor), bottom = Math.max(0, at - (1 - share) * length);
  if (length >= (mostBytes(shown) * HEADROOM) / 100) page.change({low: null, high: null});
  else page.change({low: Math.floor(bottom), high: Math.ceil(bottom + length)});
}

// Moves the shown bytes up or down, if they are a part of all.
/** @type {(page: Page, shown: import('./types.js').Banded, share: number) => void} */
function moveBytes(page, shown, share) {
  if (page.view.high === null) return;
  const {low, most} = askedBytes(page, shown), highest = (mostBytes(shown) * HEADROOM) / 100 - most;
  const bottom = Math.floor(Math.max(0, Math.min(highest, low + share * most)));
  page.change({low: bottom, high: bottom + Math.ceil(most)});
}

// Zooms into the selected range, or the shown one, and into the bytes between its lowest and highest moment.
/** @param {import('./types.js').Banded} shown */
function zoomToFit(/** @type {Page} */ page, shown) {
  const {first, last} = rangeNow(page), live = [];
  for (let i = 0; i < shown.columns; ++i) {
    const state = shown.values[i * shown.width];
    if (state >= first && state <= last) live.push(shown.values[i * shown.width + 1]);
  }
  if (!live.length || last <= first) return;
  const low = Math.min(...live), high = Math.max(...live), room = Math.max(1, (high - low) * FIT_ROOM);
  showBox(page, {first, last, low: low - room, high: high + room});
}

function zoomAround(/** @type {Page} */ page, factor, share) {
  const length = (page.view.last - page.view.first) * factor, at = page.view.first + share * (page.view.last - page.view.first);
  showRange(page, at - share * length, at + (1 - share) * length);
}

// Returns what zooms by keys: around the playhead, in bytes around its live memory, up and down, and to fit a range.
export function startCurve(/** @type {Page} */ page) {
  const curve = byId('curve'), map = byId('map');
  const rowsNow = () => Math.max(1, Math.round((curve.clientHeight - RULER) * (window.devicePixelRatio || 1)));
  const source = curveData(page, {size: () => ({width: curve.getBoundingClientRect().width, rows: rowsNow()}), show: () => painter.drawAnew()});
  const {data} = source, painter = curvePainter(page, curve, map, data);
  const lifeOf = ({clientX, clientY}) => {
    const {left, top, width} = curve.getBoundingClientRect();
    return data.shown && isHere(page, data.shown) ? lifeAt(data.shown.bands, (clientX - left) / width, (clientY - top) / (curve.clientHeight - RULER)) : null;
  };
  onDrag(curve, curvePresses(page, curve, data, lifeOf, painter.drawSoon));
  curve.addEventListener('dblclick', () => showAll(page));
  lightsUnder(page, curve, lifeOf);
  onWheel(curve, {zoom: (factor, share) => zoomAround(page, factor, share), zoomBytes: (factor, event) => data.shown && zoomBytes(page, data.shown, factor, heightShare(curve, event)), move(share) {
    const by = share * (page.view.last - page.view.first);
    showRange(page, page.view.first + by, page.view.last + by);
  }});
  onDrag(map, (from) => ({move(share) {
    const [left, right] = from < share ? [from, share] : [share, from];
    if (right - left > LEAST_SHARE) showRange(page, stateAt(data.whole, left), stateAt(data.whole, right));
  }}));
  map.addEventListener('dblclick', () => showAll(page));
  page.watch(['file', 'device', 'by', 'axis'], source.loadAnew);
  page.watch(['first', 'last', 'low', 'high'], source.load);
  page.watch(['search'], source.findAnew);
  page.watch(['state', 'other', 'lit', 'pinned'], painter.drawSoon);
  window.addEventListener('resize', () => data.whole && source.loadAnew());
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', painter.drawAnew);
  const isLoaded = () => Boolean(data.shown) && isHere(page, data.shown);
  // The live memory of the playhead as a share of the height, from the top; its middle if that is not shown.
  function liveShare() {
    const {shown} = data, column = Math.min(shown.columns - 1, Math.floor(shareOf(shown, page.view.state) * shown.columns));
    const share = 1 - (shown.values[Math.max(0, column) * shown.width + 1] - shown.low) / shown.most;
    return share >= 0 && share <= 1 ? share : 0.5;
  }
  return {
    zoom: (factor) => isLoaded() && zoomAround(page, factor, Math.max(0, Math.min(1, shareOf(data.shown, page.view.state)))),
    zoomBytes: (factor) => isLoaded() && zoomBytes(page, data.shown, factor, liveShare()),
    moveBytes: (direction) => isLoaded() && moveBytes(page, data.shown, direction * HEIGHT_STEP),
    fit: () => isLoaded() && zoomToFit(page, data.shown),
  };
}
