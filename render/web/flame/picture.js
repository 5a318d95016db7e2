// The flame graph of the file, the tree that is shown, and the part of it in view. A picture has one.
import {svg} from '../core/dom.js';
import {readFrames} from '../core/frames.js';
import {derivedTree} from './derive.js';
import {readKinds} from './kinds.js';
import {readBoxes, readGeometry} from './model.js';
import {titleOf} from './title.js';
import {Weighing} from './weighing.js';

export const graph = svg.querySelector('#graph');
export const geometry = readGeometry(graph);
const fileBoxes = readBoxes(graph, readFrames(svg.querySelectorAll('#frames > f')));
export const weighing = new Weighing(fileBoxes[0].element.hasAttribute('data-before'), readKinds(graph),
  graph.getAttribute('data-color') === 'kind', graph.getAttribute('data-quantity') || 'memory');
export const view = {zoom: fileBoxes[0], focus: null, invert: false, collapse: false, hide: false};
export const SWITCHES = ['invert', 'collapse', 'hide'];

// The boxes that are shown: those of the file, or of a tree made from them.
export let boxes = fileBoxes;
graph.shownBoxes = () => boxes; // for tests, and for scripts that control the picture

const derivedTrees = new Map();

// The tree that the switches select.
export function wantedTree() {
  const name = SWITCHES.filter((option) => view[option]).join('.');
  if (!name) return fileBoxes;
  if (!derivedTrees.has(name)) derivedTrees.set(name, derivedTree(fileBoxes, view, weighing, geometry.units));
  return derivedTrees.get(name);
}

export function setTree(tree) {
  boxes = tree;
  view.zoom = boxes[0];
  view.focus = null;
}

export const heightOfRow = (row) => (geometry.upward ? geometry.rows - 1 - row : row) * geometry.rowHeight;
export const titleOfBox = (box) => titleOf(box, boxes[0], weighing);
