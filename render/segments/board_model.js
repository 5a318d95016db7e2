// The board's data -> classes, stacks, places, bands, segments and their pieces. See board_data.cpp for how it is written.
const board = svg.querySelector('#board');
const data = svg.querySelector('#board-data');
const geometry = {columnWidth: number(data, 'data-column-width'), left: 0, top: 0, width: 0};

const classes = [...data.querySelectorAll('c')].map((entry) => ({
  label: {name: text(entry, 'n'), place: text(entry, 'p'), note: ''}, paint: text(entry, 'c'), isFrame: false,
}));
const stackNodes = data.querySelector('stacks').textContent.split(' ').filter(Boolean).map((word) => {
  const [caller, frame] = word.split(':');
  return {caller: caller === '' ? -1 : Number(caller), frame: frames[Number(frame)]};
});

// Innermost first.
function framesOf(piece) {
  const found = [];
  for (let node = piece.stack; node >= 0; node = stackNodes[node].caller) found.push(stackNodes[node].frame);
  return found;
}

const optional = (word) => (word === '' || word === undefined ? -1 : Number(word));

function readPiece(word, unit) {
  const mark = /^[=!*~]/.test(word) ? word[0] : '';
  const fields = word.slice(mark.length).split(',');
  const piece = {kind: 'block', bytes: Number(fields[0]) * unit, used: 0, stack: -1, entry: null, blocks: 0, holes: 0, hit: false};
  if (mark === '=') return {...piece, kind: 'hole', holes: 1};
  if (mark === '!') return {...piece, kind: 'unaccounted'};
  if (mark === '*')
    return {...piece, kind: 'smaller', used: Number(fields[1]), blocks: Number(fields[2]), holes: Number(fields[3]),
            entry: classes[optional(fields[4])] || null};
  return {...piece, used: piece.bytes, rounding: Number(fields[1]), entry: classes[Number(fields[2])], blocks: 1,
          stack: optional(fields[3]), event: optional(fields[4]), uses: Math.max(0, optional(fields[5])), ageUs: optional(fields[6]), isPending: mark === '~'};
}

const cells = [];
function readCell(element, place) {
  const cell = {index: cells.length, address: text(element, 'a'), bytes: number(element, 'b'), count: number(element, 'n') || 1,
                isExpandable: element.hasAttribute('x'), place, used: 0};
  const unit = number(element, 'u');
  let begin = 0;
  cell.pieces = element.textContent.split(' ').filter(Boolean).map((word, index) => {
    const piece = Object.assign(readPiece(word, unit), {cell, index, begin});
    begin += piece.bytes;
    cell.used += piece.used;
    return piece;
  });
  cells.push(cell);
  return cell;
}

const places = [...data.querySelectorAll('place')].map((element) => {
  const place = {name: text(element, 'n'), comment: text(element, 't'), paint: text(element, 'c'), event: optional(element.getAttribute('e') || '')};
  place.bands = [...element.children].map((band) => ({caption: text(band, 't'), cells: [...band.children].map((one) => readCell(one, place))}));
  return place;
});
const reservedBytes = cells.reduce((sum, cell) => sum + cell.bytes * cell.count, 0);
const mostUsed = (piece) => piece.used >= piece.bytes - piece.used && piece.entry !== null;
const hexOf = (piece) => (BigInt(piece.cell.address) + BigInt(piece.begin)).toString(16);

// As PyTorch's viewer and `memviz trace` call a block: its address, and how often that was used before.
const traceName = (piece) => `b${hexOf(piece)}_${piece.uses}`;

// The first piece that ends behind `at` bytes of the segment.
function pieceAt(cell, at) {
  let low = 0, high = cell.pieces.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (cell.pieces[middle].begin + cell.pieces[middle].bytes <= at) low = middle + 1;
    else high = middle;
  }
  return cell.pieces[low] || null;
}

function nameOf(piece) {
  if (piece.kind === 'hole') return 'free';
  if (piece.kind === 'unaccounted') return 'covered by no block';
  if (piece.kind === 'smaller') return `<smaller: ${countOf(piece.blocks, 'block')}, ${countOf(piece.holes, 'hole')}>`;
  return `${piece.entry.label.name} ${piece.entry.label.place}`.trim();
}

function segmentText({address, bytes, used, count, isExpandable, place}) {
  const alike = count > 1 ? `, one of ${formatCount(count)} that look the same` : '';
  return `in segment ${address}, ${formatBytes(bytes)}${isExpandable ? ', expandable' : ''}, ${formatPercent(used, bytes)} in use${alike}\n${place.name}`;
}

const frameText = (frame) => frame.heading.replace('\n', '  ');

// What fits of a stack: from the user's own frames outward, where there are some.
function stackLines(piece, room) {
  const stack = framesOf(piece), own = stack.findIndex((frame) => frame.isOwn);
  if (stack.length <= room) return stack.map(frameText);
  const first = Math.max(own, 0), before = first ? [`⋯ ${countOf(first, 'frame')} of libraries and the allocator`] : [];
  const shown = stack.slice(first, first + room - before.length - 1), left = stack.length - first - shown.length;
  return [...before, ...shown.map(frameText), ...(left ? [`… and ${countOf(left, 'more frame')}; c copies all`] : [])];
}

// When a block was allocated, and how long it has lived at the moment of its device.
function birthText({event, ageUs, cell}) {
  if (event < 0) return 'no event of its allocation is recorded';
  const events = cell.place.event - event;
  const ago = events > 0 ? [countOf(events, 'event')] : [];
  if (ageUs >= 0) ago.push(formatDuration(ageUs));
  return `allocated at event ${formatCount(event)}` + (ago.length ? `, ${ago.join(' and ')} before this moment` : '');
}

// The text of a tooltip.
function titleOf(piece) {
  if (piece.title !== undefined) return piece.title;
  const lines = [nameOf(piece), `${exactBytes(piece.bytes)} at 0x${hexOf(piece)}${piece.kind === 'block' ? `, ${traceName(piece)} in the trace` : ''}`];
  if (piece.kind === 'smaller') lines.push(`${formatBytes(piece.used)} in use, ${formatBytes(piece.bytes - piece.used)} free; too small to tell apart here`);
  if (piece.kind === 'block') {
    lines.push(`${exactBytes(piece.bytes - piece.rounding)} requested` + (piece.rounding ? `, ${exactBytes(piece.rounding)} rounding` : ''));
    lines.push(piece.isPending ? 'active_pending_free: waits to be freed' : 'active_allocated');
    lines.push(birthText(piece));
  }
  lines.push(segmentText(piece.cell));
  return (piece.title = lines.concat(stackLines(piece, MOST_LINES - lines.length - 1)).join('\n'));
}
