// Boxes and frames of opened runs -> their elements, and the positions of those.
import {make} from '../core/dom.js';
import {fitLabel} from '../core/text.js';
import {columnsInBox, tornPath} from './layout.js';
import {geometry, graph, heightOfRow, titleOfBox, weighing} from './picture.js';

export const GAP = 1;

// Returns the element of a box, created on first use.
export function elementOf(box) {
  if (!box.element) addElement(box);
  return box.element;
}

function addElement(box) {
  box.element = make('g', {class: box.paint, 'data-row': box.level, 'data-bytes': box.bytes, 'data-blocks': box.blocks,
                           'data-x': box.x, 'data-width': box.width, 'data-name': box.label.name});
  if (weighing.isDiff) for (const side of ['before', 'after']) box.element.setAttribute('data-' + side, box[side]);
  const indices = box.steps.filter((step) => step.isFrame).map((step) => step.key.slice(1));
  if (indices.length) box.element.setAttribute('data-frames', indices.join(' '));
  box.rect = box.element.appendChild(make('rect', {height: geometry.boxHeight}));
  if (box.width * geometry.width > 8 * geometry.units) box.rect.setAttribute('rx', 2);
  if (box.isSqueezed) box.mark = box.element.appendChild(make('path', {class: 'torn'}));
  box.element.box = box;
}

// Places one drawn rectangle with its label; `holder` is a box or a part of an opened run.
export function placeRect(holder, x, row, width) {
  const y = heightOfRow(row);
  const drawn = width > 3 * GAP ? width - GAP : width;
  // A box that was hidden often returns to its place: writing an attribute costs more than comparing.
  const stand = `${x} ${y} ${width}`;
  if (holder.stand === stand) return;
  holder.stand = stand;
  holder.rect.setAttribute('x', x.toFixed(2));
  holder.rect.setAttribute('y', y);
  holder.rect.setAttribute('width', drawn.toFixed(2));
  if (holder.mark) holder.mark.setAttribute('d', tornPath(x, y, drawn, geometry.boxHeight));
  holder.columns = columnsInBox(geometry, drawn, holder.mark);
  setLabel(holder, x, y);
}

function setLabel(holder, x, y) {
  const {columns} = holder;
  const label = columns < 3 ? '' : fitLabel(holder.label, columns);
  if (!label && !holder.textElement) return;
  if (!holder.textElement) holder.textElement = holder.element.appendChild(make('text', {}));
  if (holder.shown !== label) holder.textElement.textContent = holder.shown = label;
  if (!label) return;
  holder.textElement.setAttribute('x', (x + geometry.padding).toFixed(2));
  holder.textElement.setAttribute('y', y + geometry.baseline);
}

// Only visible elements are in the document. Returns the element after which the next one is inserted.
export function show(holder, visible, last) {
  if (visible) {
    const element = elementOf(holder);
    if (!holder.isShown) last ? last.after(element) : graph.prepend(element);
    holder.isShown = true;
    return element;
  }
  if (holder.isShown) holder.element.remove();
  holder.isShown = false;
  return last;
}

export function openRun(box) {
  if (box.parts || !box.run.length) return;
  const weight = titleOfBox(box).split('\n').slice(1, 1 + weighing.linesOfPart(box)).join('\n');
  box.parts = box.run.map((frame) => {
    const paint = weighing.paintsWhole() ? box.paint : frame.paint;
    const element = make('g', {class: paint});
    element.box = box;
    element.shownFrame = {element, paint, label: frame.label, rect: element.appendChild(make('rect', {height: geometry.boxHeight, rx: 2})),
                          title: frame.heading + '\n' + weight};
    return element.shownFrame;
  });
}

export function closeRun(box) {
  if (!box.parts) return;
  for (const part of box.parts) part.element.remove();
  box.parts = null;
}
