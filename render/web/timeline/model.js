// Elements -> the charts' data: slices (drawn states, with what is live in them) and bands. See timeline_data.cpp.
import {number, takeTitle, text} from '../core/attributes.js';
import {textWithItems} from '../core/items.js';

// Numbers are differences from the previous one.
export function numbers(element, name) {
  let sum = 0;
  return text(element, name).split(' ').filter(Boolean).map((difference) => (sum += Number(difference)));
}

// Innermost frame first. `words`: one line per stack, each with the numbers of its frames' names; `origins`: one letter
// per frame.
export function readStacks(words, names, origins) {
  const frames = names.split('\n').map((name, i) => ({name, origin: origins[i] || 'u'}));
  return words.split('\n').map((line) => line.split(' ').filter(Boolean).map((frame) => frames[Number(frame)]));
}

// Returns the layer of a part, from the bottom up, if the chart is layers of kinds; else 0.
const layerOf = (element) => number(element, 'data-layer');

// `keepers`: a text for each number of a keeper.
function readBand(element, index, stacks, keepers) {
  const [first, last] = text(element, 'data-slices').split(' ').map(Number);
  const keeper = element.hasAttribute('data-keeper') ? `\n${textWithItems(text(element, 'data-keeper'), keepers)}` : '';
  const title = takeTitle(element) + keeper;
  const stack = stacks[number(element, 'data-stack')] || [];
  return {
    index, element, title, first, last, stack,
    stackId: text(element, 'data-stack'),
    line: text(element, 'data-line'),
    layer: layerOf(element),
    bytes: number(element, 'data-bytes'),
    paint: element.getAttribute('class').split(' ')[0],
    name: title.split('\n')[0],
    place: text(element, 'data-place'),
    haystack: (title + '\n' + stack.map((frame) => frame.name).join('\n')).toLowerCase(),
  };
}

// "slice bytes" at each change of the bytes, both as differences.
export function readStrip(element, slices) {
  const title = takeTitle(element);
  const changes = text(element, 'data-bytes').split(' ').filter(Boolean).map(Number);
  const bytes = new Float64Array(slices);
  let slice = 0, sum = 0;
  for (let i = 0; i < changes.length; i += 2) {
    bytes.fill(sum, slice, slice + changes[i]);
    slice += changes[i];
    sum += changes[i + 1];
  }
  bytes.fill(sum, slice);
  return {
    element, title, bytes,
    line: text(element, 'data-line'),
    layer: layerOf(element),
    query: (/^kind: [^,]*,/m.exec(title) || title.split('\n'))[0],
    isBelow: element.parentNode.classList.contains('below'),
    paint: element.getAttribute('class').split(' ')[0],
    name: title.split('\n')[0],
    place: text(element, 'data-place'),
    haystack: title.toLowerCase(),
  };
}

export function readPanel(element, stacks, keepers = []) {
  const data = element.querySelector('metadata');
  const isTime = text(data, 'axis') === 'time';
  const states = numbers(data, 'states');
  const panel = {
    element, isTime, states,
    isByKind: element.classList.contains('kinds'),
    live: numbers(data, 'live'),
    at: isTime ? numbers(data, 'at') : states.map((state) => state - 1),
    reserved: {at: numbers(data, 'reserved-at'), bytes: numbers(data, 'reserved')},
    begin: number(data, 'begin'), end: number(data, 'end'),
    width: number(data, 'width'), height: number(data, 'height'),
    top: number(data, 'top'), cut: number(data, 'cut'), cutHeight: number(data, 'cut-height'),
    axisWords: text(data, 'words'),
    left: number(data, 'left'), y: number(data, 'y'),
    bands: [...element.querySelectorAll('.bands > path')].map((band, index) => readBand(band, index, stacks, keepers)),
    strips: [...element.querySelectorAll('.strips > path')].map((strip) => readStrip(strip, states.length)),
  };
  panel.layers = [...new Set([...panel.bands, ...panel.strips].map(({layer}) => layer))].sort((a, b) => a - b);
  panel.byFirst = [...panel.bands].sort((a, b) => a.first - b.first || a.index - b.index);
  // Small allocations are above the bands, or above those of their layer.
  const above = panel.strips.filter((strip) => !strip.isBelow);
  panel.stripOfLine = new Map(above.map((strip) => [strip.line, strip]));
  panel.otherLines = above[above.length - 1];
  panel.view = {begin: panel.begin, end: panel.end};
  panel.bySize = [...panel.bands].sort((a, b) => b.bytes - a.bytes || a.index - b.index);
  panel.bySize.forEach((band, rank) => { band.rank = rank; });
  panel.detail = panel.bands.length;
  return panel;
}
