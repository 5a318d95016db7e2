// Elements -> a tree of boxes. Positions are whole numbers of units (bytes where nothing is squeezed), exact up to 2^53,
// so that no zoom drifts.
const SVG = 'http://www.w3.org/2000/svg';
const svg = document.currentScript.ownerSVGElement;
const graph = svg.querySelector('#graph');
const controls = svg.querySelector('#controls');
if (!graph) return;

const number = (element, name) => Number(element.getAttribute(name) || 0);
const text = (element, name) => element.getAttribute(name) || '';

const geometry = {
  units: number(graph, 'data-units'),
  width: number(graph, 'data-width'),
  rowHeight: number(graph, 'data-row-height'),
  columnWidth: number(graph, 'data-column-width'),
  boxHeight: number(graph, 'data-box-height'),
  padding: number(graph, 'data-padding'),
  baseline: number(graph, 'data-baseline'),
  rows: number(graph, 'data-rows'),
  top: number(graph, 'data-y'),
  left: (number(svg, 'width') - number(graph, 'data-width')) / 2,
  upward: graph.hasAttribute('data-upward'),
  pageHeight: number(svg, 'height'),
};

function make(name, attributes, content) {
  const element = document.createElementNS(SVG, name);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  if (content !== undefined) element.textContent = content;
  return element;
}

// The frames of all boxes; a box names them by their place in this list.
const frames = Array.from(svg.querySelectorAll('#frames > f'), (frame) => ({
  label: {name: text(frame, 'n'), place: text(frame, 'p'), note: ''},
  paint: text(frame, 'c'),
  heading: frame.textContent,
}));

// The browser's own tooltip would cover ours: its text moves into the model.
function takeTitle(element) {
  const title = element.querySelector('title');
  if (!title) return '';
  title.remove();
  return title.textContent;
}

function readBox(element, index) {
  const title = takeTitle(element);
  const indices = text(element, 'data-frames');
  const own = indices ? indices.split(' ').map((i) => frames[Number(i)]) : [];
  const run = own.length > 1 ? own : [];
  const label = own.length === 1 ? {...own[0].label} : {name: text(element, 'data-name'), place: text(element, 'data-place')};
  label.note = text(element, 'data-note');
  if (run.length) label.brief = '⋯ ' + run.length;
  const box = {
    index, element, title, label,
    rect: element.querySelector('rect'),
    mark: element.querySelector('path'),
    textElement: element.querySelector('text'),
    level: number(element, 'data-row'),
    x: number(element, 'data-x'),
    width: number(element, 'data-width'),
    bytes: number(element, 'data-bytes'),
    before: number(element, 'data-before'),
    after: number(element, 'data-after'),
    isDiff: element.hasAttribute('data-before'),
    run,
    parts: null, // the elements of an opened run
    parent: null,
    children: [],
    end: index, // the last box below this one, in the order of the file
  };
  // A frame's full path stands in the second line of its tooltip.
  const path = own.length === 1 ? title.split('\n')[1] : '';
  box.haystack = [label.name + ' ' + label.place, path]
    .concat(box.run.map((frame) => frame.label.name + ' ' + frame.label.place + '\n' + frame.heading)).join('\n');
  element.box = box;
  return box;
}

// Boxes stand in the order of a walk from the root, so a box's parent is the last one before it a level above.
// The list is copied first: readBox() changes the document, which makes a live list slow.
const boxes = [...graph.children].map(readBox);
const open = [];
for (const box of boxes) {
  open.length = box.level;
  box.parent = open[box.level - 1] || null;
  if (box.parent) box.parent.children.push(box);
  open.push(box);
}
for (let i = boxes.length - 1; i > 0; --i) {
  const box = boxes[i];
  box.parent.end = Math.max(box.parent.end, box.end);
}
for (const box of boxes) box.children.sort((a, b) => a.x - b.x);
const root = boxes[0];
