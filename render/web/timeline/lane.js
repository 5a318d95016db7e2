// The lane of annotations, for the part of the axis in view: with the rules of timeline_lane.cpp.
import {number} from '../core/attributes.js';
import {make} from '../core/dom.js';
import {formatCount} from '../core/numbers.js';
import {COLUMN_WIDTH, fitLabel} from '../core/text.js';
import {xOf} from './layout.js';

const MOST_GAP = 8, MOST_NAMES = 12;
const labelOf = (name, width) => fitLabel({name, place: '', note: '', brief: ''}, Math.floor((width - 8) / COLUMN_WIDTH));

function placeSpan(span, begin, width, label) {
  const rect = span.querySelector('rect');
  rect.setAttribute('x', begin);
  rect.setAttribute('width', width);
  let words = span.querySelector('text');
  if (!words && label) words = span.appendChild(make('text', {class: 'mono-small', y: number(rect, 'y') + 10}));
  if (!words) return;
  words.textContent = label;
  words.setAttribute('x', begin + 4);
}

// Neighbours that are too narrow for a word become one.
function merge(lane, spans) {
  const counts = new Map();
  for (const {element} of spans) {
    element.style.display = 'none';
    counts.set(element.words, (counts.get(element.words) || 0) + 1);
  }
  const {begin, element} = spans[0], last = spans[spans.length - 1], count = formatCount(spans.length);
  const [first] = counts.keys(), width = last.begin + last.width - begin;
  const merged = make('g', {class: 'group merged'});
  const names = [...counts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, times]) => `${formatCount(times)}× ${name}`);
  merged.words = [`${count} annotations, too narrow to draw`, ...names.slice(0, MOST_NAMES), ...(names.length > MOST_NAMES ? ['…'] : [])].join('\n');
  merged.append(make('rect', {y: number(element.querySelector('rect'), 'y'), height: number(element.querySelector('rect'), 'height'), rx: 2}));
  placeSpan(merged, begin, width, labelOf(counts.size === 1 ? `${count}× ${first}` : `${count} annotations`, width));
  lane.append(merged);
}

export function moveLane(panel) {
  const lane = panel.element.querySelector('.lane');
  if (!lane) return;
  for (const old of lane.querySelectorAll('.merged')) old.remove();
  const rows = new Map();
  for (const element of lane.children) {
    element.classList.remove('narrow');
    const begin = Math.max(0, xOf(panel, number(element, 'data-begin')));
    const width = Math.min(panel.width, xOf(panel, number(element, 'data-end'))) - begin;
    element.style.display = width <= 0 ? 'none' : '';
    if (width <= 0) continue;
    const drawn = Math.max(0.75, width - 0.75), label = labelOf(element.words, drawn);
    placeSpan(element, begin, drawn, label);
    const row = number(element.querySelector('rect'), 'y');
    if (!rows.has(row)) rows.set(row, [[]]);
    const runs = rows.get(row), run = runs[runs.length - 1], last = run[run.length - 1];
    if (label) runs.push([]);
    else if (last && begin - (last.begin + last.width) >= MOST_GAP) runs.push([{element, begin, width}]);
    else run.push({element, begin, width});
  }
  for (const runs of rows.values()) for (const run of runs) if (run.length > 1) merge(lane, run);
}
