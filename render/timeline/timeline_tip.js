// What is under the pointer -> its text beside the pointer, inside the page; and what is pinned or searched for.
const tip = svg.appendChild(make('g', {id: 'tip', style: 'display:none'}));
const MOST_LINES = 26, MOST_COLUMNS = 110;
const chosen = {band: null, panel: null, query: ''};

function tipLines(title, stack) {
  const lines = title.split('\n');
  if (stack && stack.length) lines.push('', ...stack);
  const shown = lines.map((line) => cut(line, MOST_COLUMNS));
  return shown.length <= MOST_LINES ? shown : shown.slice(0, MOST_LINES - 1).concat(`… ${shown.length - MOST_LINES + 1} more frames`);
}

function pagePoint(event) {
  const matrix = svg.getScreenCTM();
  return matrix ? new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse()) : {x: 0, y: 0};
}

function showTip(event, holder, title, stack) {
  if (tip.holder !== holder) {
    tip.holder = holder;
    const lines = tipLines(title, stack);
    const width = Math.max(...lines.map((line) => line.length)) * LETTER + 20;
    tip.size = {width, height: lines.length * 15 + 12};
    tip.replaceChildren(make('rect', {...tip.size, rx: 4}));
    lines.forEach((line, i) => tip.append(make('text', {x: 10, y: 18 + 15 * i}, line)));
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

const isChosen = (band) =>
  chosen.query ? band.haystack.includes(chosen.query) : chosen.band !== null && band.stackId === chosen.band.stackId;

// Of some bands of a panel: the most bytes that they hold together, and in which slice.
function mostTogether(panel, bands) {
  const changes = new Array(panel.states.length + 1).fill(0);
  for (const band of bands) {
    changes[band.first] += band.bytes;
    changes[band.last] -= band.bytes;
  }
  let bytes = 0, most = 0, slice = 0;
  changes.forEach((change, i) => {
    bytes += change;
    if (bytes > most) [most, slice] = [bytes, i];
  });
  return {bytes: most, state: panel.states[slice]};
}

function highlight() {
  const isActive = chosen.query !== '' || chosen.band !== null;
  let count = 0, most = {bytes: 0};
  for (const panel of panels) {
    panel.element.classList.toggle('dimmed', isActive);
    const bands = panel.bands.filter((band) => isActive && isChosen(band));
    const set = new Set(bands);
    for (const band of panel.bands) band.element.classList.toggle('match', set.has(band));
    count += bands.length;
    const together = mostTogether(panel, bands);
    if (together.bytes > most.bytes) most = together;
  }
  if (!isActive) return '';
  if (!count) return 'no match';
  const what = chosen.query ? 'match' : 'of this stack';
  return `${formatCount(count)} ${count === 1 ? 'band' : 'bands'} ${what}, at most ${formatBytes(most.bytes)} together` +
    (most.state ? `, at event ${formatCount(most.state - 1)}` : '');
}
