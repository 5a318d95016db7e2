// Elements -> a tree of boxes. Positions are whole numbers of units (bytes if nothing is squeezed), exact up to 2^53,
// so that zooming accumulates no error. A box consists of steps: one for a level or a reason, one per frame.
import {number, takeTitle, text} from '../core/attributes.js';
import {kindsOf} from './kinds.js';

export const readGeometry = (graph) => ({
  units: number(graph, 'data-units'),
  width: number(graph, 'data-width'),
  rowHeight: number(graph, 'data-row-height'),
  columnWidth: number(graph, 'data-column-width'),
  boxHeight: number(graph, 'data-box-height'),
  padding: number(graph, 'data-padding'),
  baseline: number(graph, 'data-baseline'),
  rows: number(graph, 'data-rows'),
  top: number(graph, 'data-y'),
  left: 0,
  section: null, // of the page
  upward: graph.hasAttribute('data-upward'),
});

// A level above the stacks, a reason why there is none, or a box for several merged stacks.
function stepOf(element, paint) {
  const role = text(element, 'data-role');
  const label = {name: text(element, 'data-name'), place: text(element, 'data-place'), note: ''};
  if (element.hasAttribute('data-brief')) label.brief = text(element, 'data-brief');
  const key = role === 'smaller' ? 's' : role[0] + label.name;
  const reason = text(element, 'data-reason');
  return {key, label, paint, heading: reason ? `${label.name}\n${reason}` : label.name, isFrame: false, isGroup: role === 'group', isSmaller: role === 'smaller'};
}

function labelOf(element, steps) {
  const note = text(element, 'data-note');
  if (steps.length === 1) return {...steps[0].label, note};
  return {name: text(element, 'data-name'), place: text(element, 'data-place'), note, brief: '⋯ ' + steps.length};
}

function readBox(element, index, frames) {
  const indices = text(element, 'data-frames');
  const paint = text(element, 'class');
  const steps = indices ? indices.split(' ').map((i) => frames[Number(i)]) : [stepOf(element, paint)];
  const box = {
    index, element, steps, paint,
    title: takeTitle(element),
    label: labelOf(element, steps),
    rect: element.querySelector('rect'),
    mark: element.querySelector('path'),
    textElement: element.querySelector('text'),
    level: number(element, 'data-row'),
    x: number(element, 'data-x'),
    width: number(element, 'data-width'),
    bytes: number(element, 'data-bytes'),
    blocks: number(element, 'data-blocks'),
    before: number(element, 'data-before'),
    after: number(element, 'data-after'),
    beforeBlocks: number(element, 'data-before-blocks'),
    afterBlocks: number(element, 'data-after-blocks'),
    stacks: number(element, 'data-stacks') || 1,
    ...kindsOf(element),
    run: steps.length > 1 ? steps : [],
    parts: null, // the elements of an opened run
    parent: null,
    children: [],
    end: index, // the last box below this one, in file order
    hit: false,
    isShown: true,
  };
  element.box = box;
  return box;
}

// Boxes are in the order of a walk from the root, so a box's parent is the last one before it one level higher.
export function linked(boxes) {
  const open = [];
  for (const box of boxes) {
    open.length = box.level;
    box.parent = open[box.level - 1] || null;
    if (box.parent) box.parent.children.push(box);
    open.push(box);
  }
  for (let i = boxes.length - 1; i > 0; --i) boxes[i].parent.end = Math.max(boxes[i].parent.end, boxes[i].end);
  for (const box of boxes) box.children.sort((a, b) => a.x - b.x);
  return boxes;
}

// The list is copied first: readBox() changes the document, which makes a live list slow.
export const readBoxes = (graph, frames) => linked([...graph.children].map((element, index) => readBox(element, index, frames)));
