// The shown tree, what is zoomed and opened -> where everything stands. Distances come from graph_view.cpp.
const GAP = 1, NARROWEST = 0.2;
const view = {zoom: boxes[0], focus: null, invert: false, collapse: false, hide: false};

const heightOf = (box) => (box.parts ? box.parts.length : 1);
const isAbove = (box, other) => box.index <= other.index && other.index <= box.end;

const heightOfRow = (row) => (geometry.upward ? geometry.rows - 1 - row : row) * geometry.rowHeight;

// Places one drawn rectangle with its label; `holder` is a box or a part of an opened run.
function placeRect(holder, x, row, width) {
  const y = heightOfRow(row);
  const drawn = width > 3 * GAP ? width - GAP : width;
  // What was hidden meanwhile often comes back to where it stood: writing an attribute costs more than comparing.
  const stand = `${x} ${y} ${width}`;
  if (holder.stand === stand) return;
  holder.stand = stand;
  holder.rect.setAttribute('x', x.toFixed(2));
  holder.rect.setAttribute('y', y);
  holder.rect.setAttribute('width', drawn.toFixed(2));
  if (holder.mark) holder.mark.setAttribute('d', tornPath(x, y, drawn));
  holder.columns = columnsIn(holder, drawn);
  setLabel(holder, x, y);
}

const columnsIn = (holder, width) =>
  Math.floor((width - 2 * geometry.padding - (holder.mark ? TORN_ROOM : 0)) / geometry.columnWidth);

// A jagged strip through a box that is not to scale, as graph_view.cpp draws it.
const TORN_ROOM = 14, TORN_WIDTH = 5, TEETH = 4;
function tornPath(x, y, width) {
  const strip = Math.min(TORN_WIDTH, width / 3), tooth = strip / 2, step = geometry.boxHeight / TEETH;
  const left = x + width - Math.min(TORN_ROOM, width / 2) - strip / 2;
  let path = `M${left.toFixed(2)} ${y}`;
  for (let i = 0; i < TEETH; ++i) path += `l${(i % 2 ? -tooth : tooth).toFixed(2)} ${step}`;
  path += `h${strip.toFixed(2)}`;
  for (let i = 0; i < TEETH; ++i) path += `l${(i % 2 ? -tooth : tooth).toFixed(2)} ${-step}`;
  return path + 'z';
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

// Only what is seen is in the document. Returns the element after which the next one stands.
function show(holder, visible, last) {
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

function spanOf(box) {
  if (isAbove(box, view.zoom)) return {x: 0, width: geometry.width};
  if (!isAbove(view.zoom, box)) return null;
  const scale = geometry.width / view.zoom.width;
  const width = box.width * scale;
  return width < NARROWEST && view.zoom !== boxes[0] ? null : {x: (box.x - view.zoom.x) * scale, width};
}

const isNarrow = (box) => box.span.width < LEAST_DRAWN && !box.parts && box !== view.focus;

function placeBoxes() {
  let rows = 1, last = null;
  const visible = [], narrow = [];
  for (const box of boxes) {
    box.row = box.parent ? box.parent.row + heightOf(box.parent) : 0;
    box.span = spanOf(box);
    box.isDust = Boolean(box.span) && isNarrow(box);
    last = show(box, Boolean(box.span && !box.parts && !box.isDust), last);
    if (box.parts) for (const part of box.parts) last = show(part, Boolean(box.span), last);
    if (!box.span) continue;
    (box.isDust ? narrow : visible).push(box);
    rows = Math.max(rows, box.row + heightOf(box));
  }
  geometry.rows = rows;
  drawDust(narrow);
  for (const box of visible) {
    markElement(box);
    const above = box !== view.zoom && isAbove(box, view.zoom);
    (box.parts || [box]).forEach((holder, i) => {
      placeRect(holder, box.span.x, box.row + i, box.span.width);
      if (above || holder.isAbove) holder.element.classList.toggle('above', above);
      holder.isAbove = above;
    });
  }
  tellApart(visible);
}

function layOut() {
  placeBoxes();
  geometry.section.growth = growthOfGraph();
  sheet.settle();
}

const firstRows = geometry.rows;
const growthOfGraph = () => (geometry.rows - firstRows) * geometry.rowHeight;

sheet.layouts.graph = (section, room) => {
  geometry.section = section;
  geometry.left = room.left;
  geometry.width = room.width;
  graph.setAttribute('data-width', room.width);
  graph.setAttribute('transform', `translate(${room.left} ${number(graph, 'data-y')})`);
  finishMoving();
  placeBoxes();
  refresh();
  return growthOfGraph();
};
sheet.onSettled(() => {
  geometry.top = sheet.topOf(graph.parentNode);
  toPage = null;
});

function openRun(box) {
  if (box.parts || !box.run.length) return;
  box.parts = box.run.map((frame) => {
    const paint = isDiff ? box.paint : frame.paint;
    const element = make('g', {class: paint});
    const part = {element, paint, label: frame.label, rect: element.appendChild(make('rect', {height: geometry.boxHeight, rx: 2}))};
    part.title = frame.heading + '\n' + titleOf(box).split('\n').slice(1, 1 + (isDiff ? 4 : 3)).join('\n');
    element.box = box;
    element.shownFrame = part;
    return part;
  });
}

function closeRun(box) {
  if (!box.parts) return;
  for (const part of box.parts) part.element.remove();
  box.parts = null;
}

// Shows the tree that the switches ask for.
function showTree() {
  const tree = treeFor(view);
  if (tree === boxes) return;
  boxes.forEach(closeRun);
  boxes.forEach((box) => show(box, false));
  boxes = tree;
  view.zoom = boxes[0];
  view.focus = null;
}
