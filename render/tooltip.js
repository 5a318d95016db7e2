// The box under the pointer -> its text beside the pointer, inside the page.
const tip = svg.appendChild(make('g', {id: 'tip', style: 'display:none'}));
const MOST_LINES = 24, MOST_COLUMNS = 110;

function tipLines(title) {
  const lines = title.split('\n').map((line) => cut(line, MOST_COLUMNS));
  if (lines.length <= MOST_LINES) return lines;
  return lines.slice(0, MOST_LINES - 1).concat(`… and ${lines.length - MOST_LINES + 1} more: click to open`);
}

function fillTip(title) {
  const lines = tipLines(title);
  const width = Math.max(...lines.map(columnsOf)) * geometry.columnWidth + 20;
  tip.replaceChildren(make('rect', {width, height: lines.length * 16 + 12, rx: 4}));
  lines.forEach((line, i) => tip.append(make('text', {x: 10, y: 18 + 16 * i}, line)));
  tip.size = {width, height: lines.length * 16 + 12};
}

function pagePoint(event) {
  const matrix = svg.getScreenCTM();
  return matrix ? new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse()) : {x: 0, y: 0};
}

function showTip(event, holder) {
  if (tip.holder !== holder) {
    tip.holder = holder;
    fillTip(holder.title);
    tip.style.display = '';
  }
  const point = pagePoint(event);
  const page = {width: number(svg, 'width'), height: number(svg, 'height')};
  const x = Math.max(4, Math.min(point.x + 14, page.width - tip.size.width - 4));
  let y = point.y + 18;
  if (y + tip.size.height > page.height - 4) y = Math.max(4, point.y - tip.size.height - 10);
  tip.setAttribute('transform', `translate(${x} ${y})`);
}

function hideTip() {
  tip.holder = null;
  tip.style.display = 'none';
}
