// What is under the pointer -> its text beside the pointer, inside the page; and what is pinned or searched for.
const tip = svg.appendChild(make('g', {id: 'tip', style: 'display:none'}));
const MOST_LINES = 26, MOST_COLUMNS = 110;
const chosen = {band: null, panel: null, query: ''};

// As many letters as the page has room for.
const tipColumns = () => Math.min(MOST_COLUMNS, Math.floor((number(svg, 'width') - 32) / LETTER));

function tipLines(title, stack) {
  const lines = title.split('\n');
  if (stack && stack.length) lines.push('', ...stack);
  const shown = lines.map((line) => cut(line, tipColumns()));
  return shown.length <= MOST_LINES ? shown : shown.slice(0, MOST_LINES - 1).concat(`… ${shown.length - MOST_LINES + 1} more frames`);
}

function pagePoint(event) {
  const matrix = svg.getScreenCTM();
  return matrix ? new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse()) : {x: 0, y: 0};
}

// Of an event of the pointer: beside it, inside the page. `key` tells one text from the next.
function showTip(event, key, title, stack) {
  if (tip.key !== key) {
    tip.key = key;
    const lines = tipLines(title, stack);
    tip.style.display = '';
    const box = make('rect', {rx: 4});
    const words = lines.map((line, i) => make('text', {x: 10, y: 19 + 16 * i}, line));
    tip.replaceChildren(box, ...words);
    // As wide as the font makes it.
    tip.size = {width: Math.max(...words.map((word) => word.getComputedTextLength())) + 20, height: lines.length * 16 + 12};
    for (const side in tip.size) box.setAttribute(side, tip.size[side]);
  }
  const point = pagePoint(event);
  const page = {width: number(svg, 'width'), height: number(svg, 'height')};
  const x = Math.max(4, Math.min(point.x + 14, page.width - tip.size.width - 4));
  let y = point.y + 18;
  if (y + tip.size.height > page.height - 4) y = Math.max(4, point.y - tip.size.height - 10);
  tip.setAttribute('transform', `translate(${x} ${y})`);
}

function hideTip() {
  tip.key = null;
  tip.style.display = 'none';
}

const isChosen = (part) =>
  chosen.query ? part.haystack.includes(chosen.query) : chosen.band !== null && part.stackId === chosen.band.stackId;

// Of some parts of a panel: the most bytes that they hold together, and in which slice.
function mostTogether(panel, bands, strips) {
  const changes = new Array(panel.states.length + 1).fill(0);
  for (const band of bands) {
    changes[band.first] += band.bytes;
    changes[band.last] -= band.bytes;
  }
  let banded = 0, most = 0, slice = 0;
  for (let i = 0; i < panel.states.length; ++i) {
    banded += changes[i];
    const bytes = strips.reduce((sum, strip) => sum + strip.bytes[i], banded);
    if (bytes > most) [most, slice] = [bytes, i];
  }
  return {bytes: most, state: panel.states[slice]};
}

function highlight() {
  const isActive = chosen.query !== '' || chosen.band !== null;
  const counts = {band: 0, strip: 0};
  let most = {bytes: 0};
  for (const panel of panels) {
    panel.element.classList.toggle('dimmed', isActive);
    const bands = new Set(panel.bands.filter((band) => isActive && isChosen(band)));
    const strips = new Set(panel.strips.filter((strip) => isActive && isChosen(strip)));
    for (const part of [...panel.bands, ...panel.strips]) part.element.classList.toggle('match', bands.has(part) || strips.has(part));
    counts.band += bands.size;
    counts.strip += strips.size;
    const together = mostTogether(panel, [...bands], [...strips]);
    if (together.bytes > most.bytes) most = together;
  }
  if (!isActive) return '';
  const found = Object.entries(counts).filter(([, count]) => count).map(([noun, count]) => `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`);
  if (!found.length) return 'no match';
  const what = chosen.query ? 'match' : 'of this stack';
  return `${found.join(' and ')} ${what}, at most ${formatBytes(most.bytes)} together` +
    (most.state ? `, at event ${formatCount(most.state - 1)}` : '');
}
