// Shapes -> the elements of a chart, for the part of the axis in view.
import {number} from '../core/attributes.js';
import {make} from '../core/dom.js';
import {formatBytes, formatCount, formatDuration} from '../core/numbers.js';
import {moveLane} from './lane.js';
import {endOf, layOutReserved, layOutStack, outline, roomIn, topLine, xOf} from './layout.js';
import {decimalStep, fitName} from './names.js';

const LEAST_LABEL = 54, LABEL_HEIGHT = 14, MOST_TICKS_ROOM = 700, SHORT_UNIT = 500, FONT_SIZE = 12;

function drawLabels(panel, shapes) {
  const labels = panel.element.querySelector('.labels');
  const add = (shape, {paint, name, place}, note) => {
    const room = roomIn(shape, LABEL_HEIGHT);
    if (!room || room.width < LEAST_LABEL) return;
    const label = fitName(name, place, note, room.width);
    if (label) labels.append(make('text', {class: 'mono-small band-label ' + paint, x: room.x + 4, y: room.top + room.height / 2 + 4}, label));
  };
  labels.replaceChildren();
  if (panel.isByKind) {
    for (const [layer, shape] of shapes.layers) {
      const kind = panel.strips.find((strip) => strip.layer === layer);
      if (kind) add(shape, kind, '');
    }
    return;
  }
  for (const [strip, shape] of shapes.strips) add(shape, strip, '');
  for (const [band, shape] of shapes.bands) add(shape, band, formatBytes(band.bytes));
}

function drawPath(panel, selector, path) {
  const element = panel.element.querySelector(selector);
  if (element) element.setAttribute('d', path);
}

function drawLayers(panel, group, shapes, pathOf) {
  for (const path of panel.element.querySelectorAll(group + ' > path')) path.setAttribute('d', pathOf(shapes.layers.get(number(path, 'data-layer'))));
}

function drawAxis(panel) {
  const axis = panel.element.querySelector('.state-axis');
  const {begin, end} = panel.view;
  const step = decimalStep(((end - begin) * MOST_TICKS_ROOM) / Math.min(panel.width, MOST_TICKS_ROOM));
  const unit = panel.width < SHORT_UNIT && panel.isTime ? 'time' : panel.axisWords;
  axis.replaceChildren();
  for (let at = Math.ceil(Math.max(0, begin) / step) * step; at < end; at += step) {
    const x = xOf(panel, at);
    axis.append(make('path', {class: 'grid', d: `M${x} ${panel.height}v4`}));
    const words = panel.isTime && at > 0 ? formatDuration(at) : formatCount(at);
    if (x < panel.width - unit.length * 7 - 40) axis.append(make('text', {class: 'small muted middle', x, y: panel.height + 16}, words));
  }
  axis.append(make('text', {class: 'small muted end', x: panel.width, y: panel.height + 16}, unit));
}

// Words that have no room next to others of their row are only in the tooltip: an error keeps its own.
function moveFlags(panel) {
  const taken = [];
  const isError = (flag) => flag.querySelector('.mark-text') !== null;
  for (const flag of [...panel.element.querySelectorAll('.flag')].sort((one, other) => isError(other) - isError(one))) {
    const x = xOf(panel, number(flag, 'data-at'));
    flag.style.display = x < -0.5 || x > panel.width + 0.5 ? 'none' : '';
    flag.setAttribute('transform', `translate(${(x - number(flag, 'data-x')).toFixed(2)} 0)`);
    const words = flag.querySelector('text');
    if (!words || flag.style.display) continue;
    if (words.offset === undefined) words.offset = number(words, 'x') - number(flag, 'data-x');
    words.style.display = '';
    const length = words.getComputedTextLength();
    const begin = Math.min(Math.max(0, x + words.offset), panel.width - length);
    words.setAttribute('x', number(flag, 'data-x') + begin - x);
    const place = {begin, end: begin + length, row: words.getAttribute('y')};
    if (taken.some((other) => other.row === place.row && other.begin < place.end + 4 && place.begin < other.end + 4)) words.style.display = 'none';
    else taken.push(place);
  }
}

// The name of the line of reserved bytes: at its right end, above the whole line.
function moveReservedText(panel, shape) {
  const words = panel.element.querySelector('.reserved-text');
  if (!words || !shape.steps.length) return;
  words.style.display = '';
  const length = words.getComputedTextLength();
  let end = panel.width - 5;
  for (const flag of panel.element.querySelectorAll('.flag:not(.step)')) {
    const x = xOf(panel, number(flag, 'data-at'));
    if (x > end - length - 4 && x < end + 4) end = Math.min(end, x - 6);
  }
  const top = Math.min(...shape.steps.filter((step, i) => endOf(shape, i) > end - length).map((step) => step.top));
  words.setAttribute('x', end);
  words.setAttribute('y', top - 5);
  // Omits words that the line of the capacity would cross, or that would meet its name.
  const baseline = top - 5, capacity = panel.element.querySelector('.capacity-line'), name = panel.element.querySelector('.capacity-text');
  const line = capacity ? Number(/^M0 ([-0-9.]+)/.exec(capacity.getAttribute('d'))[1]) : Infinity;
  const isCrossed = baseline - FONT_SIZE < line && line < baseline + 3;
  const meets = name && Math.abs(number(name, 'y') - baseline) < 14 && name.getComputedTextLength() + 10 > end - length;
  words.style.display = isCrossed || meets ? 'none' : '';
}

// Lines across the chart.
function widen(panel) {
  panel.element.querySelector('.panel-ground').setAttribute('width', panel.width);
  for (const line of panel.element.querySelectorAll(':scope > .grid, :scope > .capacity-line'))
    line.setAttribute('d', line.getAttribute('d').replace(/h.*/, 'h' + panel.width));
}

export function drawPanel(panel) {
  const shapes = layOutStack(panel);
  for (const band of panel.bands) {
    const shape = shapes.bands.get(band);
    band.element.setAttribute('d', shape ? outline(shape) : '');
  }
  for (const [strip, shape] of shapes.strips) strip.element.setAttribute('d', outline(shape));
  drawLayers(panel, '.layer-grounds', shapes, outline);
  drawLayers(panel, '.layer-lines', shapes, topLine);
  drawPath(panel, '.live-line', topLine(shapes.live));
  drawPath(panel, '.lowest-line', topLine(shapes.lowest));
  const reserved = layOutReserved(panel);
  drawPath(panel, '.reserved-line', topLine(reserved));
  widen(panel);
  drawLabels(panel, shapes);
  drawAxis(panel);
  moveFlags(panel);
  moveReservedText(panel, reserved);
  moveLane(panel);
}
