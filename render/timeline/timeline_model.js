// Elements -> the charts' data: slices (states that are drawn, with what lives in them) and bands. See timeline_data.cpp.
const SVG = 'http://www.w3.org/2000/svg';
const svg = document.currentScript.ownerSVGElement;
const controls = svg.querySelector('#controls');
if (!controls) return;

const number = (element, name) => Number(element.getAttribute(name) || 0);
const text = (element, name) => element.getAttribute(name) || '';

function make(name, attributes, content) {
  const element = document.createElementNS(SVG, name);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  if (content !== undefined) element.textContent = content;
  return element;
}

// The browser's own tooltip would cover ours: its text moves into the model.
function takeTitle(element) {
  const title = element.querySelector('title');
  if (!title) return '';
  title.remove();
  return title.textContent;
}

// Numbers stand as differences from the one before.
function numbers(element, name) {
  let sum = 0;
  return text(element, name).split(' ').filter(Boolean).map((difference) => (sum += Number(difference)));
}

const frameNames = (svg.querySelector('#frame-names') || {textContent: ''}).textContent.split('\n');
// Innermost frame first.
const stacks = (svg.querySelector('#stacks') || {textContent: ''}).textContent.split('\n')
  .map((line) => line.split(' ').filter(Boolean).map((frame) => frameNames[Number(frame)]));

function readBand(element, index) {
  const [first, last] = text(element, 'data-slices').split(' ').map(Number);
  const title = takeTitle(element);
  const stack = stacks[number(element, 'data-stack')] || [];
  return {
    index, element, title, first, last, stack,
    stackId: text(element, 'data-stack'),
    bytes: number(element, 'data-bytes'),
    paint: element.getAttribute('class').split(' ')[0],
    name: title.split('\n')[0],
    haystack: (title + '\n' + stack.join('\n')).toLowerCase(),
  };
}

function readPanel(element) {
  const data = element.querySelector('metadata');
  const isTime = text(data, 'axis') === 'time';
  const states = numbers(data, 'states');
  const panel = {
    element, isTime, states,
    live: numbers(data, 'live'),
    baseline: numbers(data, 'baseline'),
    at: isTime ? numbers(data, 'at') : states.map((state) => state - 1),
    reserved: {at: numbers(data, 'reserved-at'), bytes: numbers(data, 'reserved')},
    begin: number(data, 'begin'), end: number(data, 'end'),
    width: number(data, 'width'), height: number(data, 'height'),
    top: number(data, 'top'), cut: number(data, 'cut'), cutHeight: number(data, 'cut-height'),
    smaller: number(data, 'smaller'),
    bands: [...element.querySelectorAll('.bands > path')].map(readBand),
    hovered: null,
  };
  panel.view = {begin: panel.begin, end: panel.end};
  panel.bySize = [...panel.bands].sort((a, b) => b.bytes - a.bytes || a.index - b.index);
  panel.bySize.forEach((band, rank) => { band.rank = rank; });
  panel.detail = panel.bands.length;
  return panel;
}

const panels = [...svg.querySelectorAll('.chart')].map(readPanel);
const main = panels[0];

function formatDuration(us) {
  if (us < 1000) return formatCount(us) + ' us';
  const scaled = (value, unit) => value.toFixed(value < 9.995 ? 2 : value < 99.95 ? 1 : 0) + ' ' + unit;
  if (us < 999500) return scaled(us / 1e3, 'ms');
  if (us < 59.5e6) return scaled(us / 1e6, 's');
  const minutes = Math.floor(us / 6e7);
  if (minutes < 60) return minutes + ' min ' + Math.floor((us % 6e7) / 1e6) + ' s';
  return formatCount(minutes / 60 | 0) + ' h ' + (minutes % 60) + ' min';
}
