// The shown tree, what is zoomed and opened -> the position of everything.
import {number} from '../core/attributes.js';
import {settle} from '../core/sheet.js';
import {drawDust} from './dust.js';
import {closeRun, placeRect, show} from './elements.js';
import {isAbove, layOutTree} from './layout.js';
import {boxes, geometry, graph, setTree, view, wantedTree} from './picture.js';
import {markElement} from './search.js';
import {tellApart} from './siblings.js';

const firstRows = geometry.rows;
const growthOfGraph = () => (geometry.rows - firstRows) * geometry.rowHeight;

function placeBoxes() {
  geometry.rows = layOutTree(boxes, view, geometry.width);
  let last = null;
  for (const box of boxes) {
    last = show(box, Boolean(box.span && !box.parts && !box.isDust), last);
    if (box.parts) for (const part of box.parts) last = show(part, Boolean(box.span), last);
  }
  drawDust(boxes.filter((box) => box.isDust));
  const visible = boxes.filter((box) => box.span && !box.isDust);
  visible.forEach(placeBox);
  tellApart(visible);
}

function placeBox(box) {
  markElement(box);
  const above = box !== view.zoom && isAbove(box, view.zoom);
  (box.parts || [box]).forEach((holder, i) => {
    placeRect(holder, box.span.x, box.row + i, box.span.width);
    if (above || holder.isAbove) holder.element.classList.toggle('above', above);
    holder.isAbove = above;
  });
}

export function layOut() {
  placeBoxes();
  geometry.section.growth = growthOfGraph();
  settle();
}

// Adapts to another width. Returns by how much the graph is taller than in the file.
export function layOutIn(section, room) {
  Object.assign(geometry, {section, left: room.left, width: room.width});
  graph.setAttribute('data-width', room.width);
  graph.setAttribute('transform', `translate(${room.left} ${number(graph, 'data-y')})`);
  placeBoxes();
  return growthOfGraph();
}

// Shows the tree that the switches select.
export function showTree() {
  const tree = wantedTree();
  if (tree === boxes) return;
  boxes.forEach(closeRun);
  boxes.forEach((box) => show(box, false));
  setTree(tree);
}
