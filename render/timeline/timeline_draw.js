// Shapes -> the elements of a chart, at the part of the axis that is in view.
const LETTER = 11 * 0.61, LEAST_LABEL = 54, LABEL_HEIGHT = 14;

function cut(string, columns) {
  if (columns < 3) return '';
  return string.length <= columns ? string : string.slice(0, columns - 1) + '…';
}

function fitName(name, note, width) {
  const columns = Math.floor((width - 8) / LETTER);
  const long = note ? name + '  ' + note : name;
  return long.length <= columns ? long : cut(name, columns);
}

function drawLabels(panel, shapes) {
  const labels = panel.element.querySelector('.labels');
  const add = (shape, paint, name, note) => {
    const room = roomIn(shape, LABEL_HEIGHT);
    if (!room || room.width < LEAST_LABEL) return;
    const label = fitName(name, note, room.width);
    if (label) labels.append(make('text', {class: 'mono-small band-label ' + paint, x: room.x + 4, y: room.top + room.height / 2 + 4}, label));
  };
  labels.replaceChildren();
  add(shapes.baseline, 'baseline', 'lived before the first event', '');
  for (const [band, shape] of shapes.bands) add(shape, band.paint, band.name, formatBytes(band.bytes));
  add(shapes.rest, 'rest', 'the rest', '');
}

function drawPath(panel, selector, path) {
  const element = panel.element.querySelector(selector);
  if (element) element.setAttribute('d', path);
}

function decimalStep(range) {
  let step = 1;
  for (let i = 0; range / step > 9; ++i) step *= i % 3 === 1 ? 2.5 : 2;
  return step;
}

function drawAxis(panel) {
  const axis = panel.element.querySelector('.state-axis');
  const {begin, end} = panel.view;
  const step = decimalStep(end - begin);
  axis.replaceChildren();
  for (let at = Math.ceil(Math.max(0, begin) / step) * step; at < end; at += step) {
    const x = xOf(panel, at);
    axis.append(make('path', {class: 'grid', d: `M${x} ${panel.height}v4`}));
    const words = panel.isTime ? formatDuration(at) : formatCount(at);
    if (x < panel.width - 170) axis.append(make('text', {class: 'small muted middle', x, y: panel.height + 16}, words));
  }
  const unit = panel.isTime ? 'time since the first event' : 'events';
  axis.append(make('text', {class: 'small muted end', x: panel.width, y: panel.height + 16}, unit));
}

function moveFlags(panel) {
  for (const flag of panel.element.querySelectorAll('.flag')) {
    const x = xOf(panel, number(flag, 'data-at'));
    flag.style.display = x < -0.5 || x > panel.width + 0.5 ? 'none' : '';
    flag.setAttribute('transform', `translate(${(x - number(flag, 'data-x')).toFixed(2)} 0)`);
    const words = flag.querySelector('text');
    if (!words) continue;
    if (words.offset === undefined) words.offset = number(words, 'x') - number(flag, 'data-x');
    const place = Math.min(Math.max(0, x + words.offset), panel.width - words.getComputedTextLength());
    words.setAttribute('x', number(flag, 'data-x') + place - x);
  }
}

function moveLane(panel) {
  for (const span of panel.element.querySelectorAll('.lane > g')) {
    const begin = Math.max(0, xOf(panel, number(span, 'data-begin')));
    const end = Math.min(panel.width, xOf(panel, number(span, 'data-end')));
    span.style.display = end <= begin ? 'none' : '';
    if (end <= begin) continue;
    const rect = span.querySelector('rect');
    const width = Math.max(0.75, end - begin - 0.75);
    rect.setAttribute('x', begin);
    rect.setAttribute('width', width);
    const label = fitName(span.title_, '', width);
    let words = span.querySelector('text');
    if (!words && label) words = span.appendChild(make('text', {class: 'mono-small', y: number(rect, 'y') + 10}));
    if (!words) continue;
    words.textContent = label;
    words.setAttribute('x', begin + 4);
  }
}

function drawPanel(panel) {
  const shapes = layOutStack(panel);
  for (const band of panel.bands) {
    const shape = shapes.bands.get(band);
    band.element.setAttribute('d', shape ? outline(shape) : '');
  }
  drawPath(panel, ':scope > .baseline', outline(shapes.baseline));
  drawPath(panel, ':scope > .rest', outline(shapes.rest));
  drawPath(panel, '.live-line', topLine(shapes.live));
  drawPath(panel, '.lowest-line', topLine(shapes.lowest));
  drawPath(panel, '.reserved-line', topLine(layOutReserved(panel)));
  drawLabels(panel, shapes);
  drawAxis(panel);
  moveFlags(panel);
  moveLane(panel);
}
