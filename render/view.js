// The tree of boxes and what is zoomed and opened -> where everything stands. The same numbers as in graph_view.cpp.
const GAP = 1, NARROWEST = 0.2, LEAST_PLACE = 9;
const view = {zoom: root, focus: null};

function columnsOfPoint(point) {
  if (point < 0x530 || (point >= 0x2010 && point <= 0x2027) || point === 0x2212) return 1;
  if (point === 0xfdfa || point === 0xfdfb || point === 0xfdfd) return 14;
  return point >= 0x10000 && point < 0x1f000 ? 4 : 2;
}

function columnsOf(string) {
  let columns = 0;
  for (const letter of string) columns += columnsOfPoint(letter.codePointAt(0));
  return columns;
}

function cut(string, columns) {
  if (columns < 3) return '';
  if (columnsOf(string) <= columns) return string;
  let room = columns - 1, kept = '';
  for (const letter of string) {
    room -= columnsOfPoint(letter.codePointAt(0));
    if (room < 0) break;
    kept += letter;
  }
  return kept + '…';
}

// A qualified C++ name loses its outer parts first.
function cutName(name, columns) {
  if (columns < 3 || columnsOf(name) <= columns) return cut(name, columns);
  for (let colons = name.indexOf('::'); colons >= 0; colons = name.indexOf('::')) {
    name = name.slice(colons + 2);
    if (columnsOf(name) < columns) return '…' + name;
  }
  return cut(name, columns);
}

// The longest form that fits: see fit_label() in text_fit.hpp.
function fitLabel(label, columns) {
  if (columns < 3) return '';
  const sign = /^[+−]/.test(label.note) ? label.note[0] + ' ' : '';
  const forms = [];
  if (label.place && label.note) forms.push(label.name + ' ' + label.place + '  ' + label.note);
  if (sign || !label.place) forms.push(label.note ? label.name + '  ' + label.note : label.name);
  else forms.push(label.name + ' ' + label.place);
  const room = columns - columnsOf(label.name);
  if (!sign && label.brief && room > LEAST_PLACE) forms.push(label.name + ' ' + cut(label.place, room - 1));
  forms.push(sign + label.name);
  if (label.brief) forms.push(sign + label.brief);
  const fitting = forms.find((form) => columnsOf(form) <= columns);
  if (fitting) return fitting;
  const name = label.brief ? '' : cutName(label.name, columns - sign.length);
  return name ? sign + name : sign.trim();
}

const heightOf = (box) => (box.parts ? box.parts.length : 1);
const isAbove = (box, other) => box.index <= other.index && other.index <= box.end;

// Places one drawn rectangle with its label; `holder` is a box or a part of an opened run.
function placeRect(holder, x, row, width) {
  const y = (geometry.upward ? geometry.rows - 1 - row : row) * geometry.rowHeight;
  const drawn = width > 3 * GAP ? width - GAP : width;
  holder.rect.setAttribute('x', x.toFixed(2));
  holder.rect.setAttribute('y', y);
  holder.rect.setAttribute('width', drawn.toFixed(2));
  if (holder.mark) holder.mark.setAttribute('d', `M${x.toFixed(2)} ${y + geometry.boxHeight - 1}h${drawn.toFixed(2)}`);
  const label = fitLabel(holder.label, Math.floor((drawn - 2 * geometry.padding) / geometry.columnWidth));
  if (!label && !holder.textElement) return;
  if (!holder.textElement) holder.textElement = holder.element.appendChild(make('text', {}));
  if (holder.shown !== label) holder.textElement.textContent = holder.shown = label;
  holder.textElement.setAttribute('x', (x + geometry.padding).toFixed(2));
  holder.textElement.setAttribute('y', y + geometry.baseline);
}

function show(element, visible) {
  const value = visible ? null : 'none';
  if (element.style.display !== (value || '')) element.style.display = value || '';
}

function spanOf(box) {
  if (isAbove(box, view.zoom)) return {x: 0, width: geometry.width};
  if (!isAbove(view.zoom, box)) return null;
  const scale = geometry.width / view.zoom.width;
  const width = box.width * scale;
  return width < NARROWEST && view.zoom !== root ? null : {x: (box.x - view.zoom.x) * scale, width};
}

function layOut() {
  let rows = 1;
  const visible = [];
  for (const box of boxes) {
    box.row = box.parent ? box.parent.row + heightOf(box.parent) : 0;
    box.span = spanOf(box);
    if (!box.span) continue;
    visible.push(box);
    rows = Math.max(rows, box.row + heightOf(box));
  }
  geometry.rows = rows;
  for (const box of boxes) {
    show(box.element, box.span && !box.parts);
    if (box.parts) for (const part of box.parts) show(part.element, box.span);
  }
  for (const box of visible) {
    const above = box !== view.zoom && isAbove(box, view.zoom);
    (box.parts || [box]).forEach((holder, i) => {
      placeRect(holder, box.span.x, box.row + i, box.span.width);
      holder.element.classList.toggle('above', above);
    });
  }
  fitPage();
}

// What stands below the graph moves when the graph grows or shrinks.
const below = svg.querySelector('#below');
const firstRows = number(graph, 'data-rows');
function fitPage() {
  const shift = (geometry.rows - firstRows) * geometry.rowHeight;
  const height = geometry.pageHeight + shift;
  below.setAttribute('transform', `translate(0 ${shift})`);
  svg.setAttribute('height', height);
  svg.setAttribute('viewBox', `0 0 ${number(svg, 'width')} ${height}`);
  svg.querySelector('#page').setAttribute('height', height);
}

function openRun(box) {
  if (box.parts || !box.run.length) return;
  box.parts = box.run.map((frame, i) => {
    const element = make('g', {class: box.isDiff ? box.element.getAttribute('class') : frame.paint});
    const part = {element, label: frame.label, rect: element.appendChild(make('rect', {height: geometry.boxHeight, rx: 2}))};
    part.title = frame.heading + '\n' + box.title.split('\n').slice(1, 1 + (box.isDiff ? 4 : 3)).join('\n');
    element.box = box;
    element.shownFrame = part;
    box.element.before(element);
    return part;
  });
}

function closeRun(box) {
  if (!box.parts) return;
  for (const part of box.parts) part.element.remove();
  box.parts = null;
}
