// The layout, for another width, of the parts that every picture has: paragraphs, figures and legends, bars, ranked
// lists. They look as drawn by header.cpp, notes.cpp, legend.cpp, bars.cpp and ranked_list.cpp.
import {number, setAttributes} from './attributes.js';
import {make} from './dom.js';
import {brokenLines} from './lines.js';
import {drawnWidth, isPhone, layouts, measure, moveBy} from './sheet.js';
import {columnsOf, cut, cutStart, rowLabel, UNIT} from './text.js';

const namedParts = (element) => Object.fromEntries([...element.querySelectorAll('[data-part]')].map((part) => [part.getAttribute('data-part'), part]));

// Words between which a line may end. A line of the file may have ended inside a word (data-glued="1"), or between
// words that should stay together (data-glued=" ").
function atomsOf(texts, separator) {
  const glueOf = (text) => (text.hasAttribute('data-glued') ? text.getAttribute('data-glued').replace('1', '') : separator);
  const joined = texts.reduce((all, text, i) => all + (i ? glueOf(text) : '') + text.textContent, '');
  if (separator !== ' ') return joined.split(separator);
  // A unit stays with its number.
  return joined.replace(new RegExp(` (?=${UNIT})`, 'g'), '\u00a0').split(' ').map((word) => word.replace(/\u00a0/g, ' '));
}

function setLines(element, lines, x, y, height) {
  element.replaceChildren(...lines.map((line, i) => {
    const span = make('tspan');
    span.textContent = line;
    setAttributes(span, {x, y: y + i * height});
    return span;
  }));
}

// A comment is at the right end of its line, or below it if there is no room. Returns how many lines it takes.
function placeComment(end, comment, {room, left, top, height, words}) {
  const width = measure(end);
  if (words + width(comment) + 20 <= room.width) {
    end.textContent = comment;
    setAttributes(end, {x: room.left + room.width, y: top, class: 'muted end'});
    return 0;
  }
  const lines = brokenLines(comment.split(' '), ' ', room.text, 0, width);
  setLines(end, lines, left, top + height, height);
  end.setAttribute('class', 'muted');
  return lines.length;
}

// Leads are on the first line of the words, or on a separate line above; if they have no room side by side, on the next
// one. Returns their width on the first line, and how far they push it down.
function placeLeads(element, first, {left, room, inRoom, height}) {
  let used = 0, above = 0, down = 0;
  for (const lead of element.querySelectorAll('[data-lead]')) {
    if (lead.whole === undefined) Object.assign(lead, {whole: lead.textContent, home: number(lead, 'y')});
    if (lead.getAttribute('data-lead') === 'margin') {
      lead.setAttribute('x', room.left);
      continue;
    }
    const isAbove = lead.home !== first;
    let at = isAbove ? above : used;
    lead.textContent = lead.whole;
    if (at && at + drawnWidth(lead) > inRoom) [at, down] = [0, down + height];
    for (let end = lead.whole.length - 1; end > 1 && drawnWidth(lead) > inRoom; --end) lead.textContent = lead.whole.slice(0, end) + '…';
    setAttributes(lead, {x: left + at, y: lead.home + down});
    at += drawnWidth(lead) + 14;
    if (isAbove) above = at;
    else used = at;
  }
  return {used, down};
}

layouts.words = (section, room) => {
  const {element} = section;
  const texts = [...element.querySelectorAll('text')].filter((text) => !text.hasAttribute('data-lead') && !text.hasAttribute('data-end'));
  if (!texts.length) return 0;
  if (!section.words) {
    const separator = element.getAttribute('data-separator') || ' ';
    const end = element.querySelector('[data-end]');
    section.words = {separator, atoms: atomsOf(texts, separator), count: texts.length + element.hasAttribute('data-end-below'),
                     comment: end ? end.textContent : '', indent: number(element, 'data-indent'),
                     height: number(element, 'data-line'), first: number(texts[0], 'y')};
  }
  const {separator, atoms, count, comment, indent, height, first} = section.words;
  const left = room.left + indent;
  const inRoom = room.text - indent;
  const {used, down} = placeLeads(element, first, {left, room, inRoom, height});
  const mark = element.querySelector('path,[data-mark]');
  if (mark) moveBy(mark, room.left - (number(element, 'data-left') || 24), 0);
  const width = measure(texts[0]);
  const lines = brokenLines(atoms, separator, inRoom, used, width);
  const end = element.querySelector('[data-end]');
  const commentLines = end ? placeComment(end, comment, {room, left, top: first + down + (lines.length - 1) * height, height, words: lines.length > 1 ? Infinity : width(lines[0])}) : 0;
  lines.forEach((line, i) => {
    if (!texts[i]) texts[i] = texts[0].parentNode.appendChild(texts[0].cloneNode());
    texts[i].textContent = line;
    setAttributes(texts[i], {x: left + (i ? 0 : used), y: first + down + i * height});
    texts[i].removeAttribute('data-glued');
  });
  texts.slice(lines.length).forEach((text) => text.remove());
  return down + (lines.length + commentLines - count) * height;
};

// Shortens the labels of the leading rows, unless all fit one line whole, as in leading_rows.cpp.
const LEADING_GAP = 18, LEADING_COLUMN = 13 * 0.61, MOST_LEADING_COLUMNS = 46;
function leadingLabel(row, columns) {
  const name = row.getAttribute('data-name'), place = row.getAttribute('data-place') || '';
  return !place || columnsOf(place) + 9 <= columns ? rowLabel(name, place, columns) : cutStart(place, columns);
}

function shortenLeading(rows, room) {
  const labels = rows.map((row) => namedParts(row).label);
  const left = (i) => number(labels[i], 'x') - number(rows[i], 'data-x');
  const shorten = (columns) => rows.map((row, i) => (labels[i].textContent = leadingLabel(row, columns(i))));
  const whole = shorten(() => Infinity);
  if (whole.reduce((sum, label, i) => sum + left(i) + columnsOf(label) * LEADING_COLUMN + (i ? LEADING_GAP : 0), 0) <= room.width) return;
  shorten((i) => Math.min(MOST_LEADING_COLUMNS, Math.floor((room.width - left(i)) / LEADING_COLUMN)));
}

// Places items side by side, as many as fit in a line; with data-spread in columns over the whole width.
layouts.items = (section, room) => {
  const {element} = section;
  const items = [...element.children];
  if (element.hasAttribute('data-leading')) shortenLeading(items, room);
  if (!section.items) section.items = items.map((item) => ({x: number(item, 'data-x'), y: number(item, 'data-y')}));
  const height = number(element, 'data-line'), gap = number(element, 'data-gap');
  const widths = items.map((item) => drawnWidth(item) + gap);
  const all = widths.reduce((sum, width) => sum + width, 0);
  const isSpread = element.hasAttribute('data-spread'), isOneLine = all - gap <= room.width;
  const most = Math.max(...widths);
  const columns = Math.max(1, Math.floor((room.width + gap) / most));
  // If one long item would leave a single column, two of unequal width may fit.
  const pair = [0, 1].map((column) => Math.max(0, ...widths.filter((_, i) => i % 2 === column)));
  const isPair = columns === 1 && pair[0] + pair[1] - gap <= room.width;
  const balanced = isPair ? 2 : Math.ceil(items.length / Math.ceil(items.length / columns));
  const step = isPair ? Math.max(pair[0], Math.min(room.width / 2, room.width + gap - pair[1])) : Math.min(room.width / balanced, most + 60);
  const extra = isSpread && isOneLine ? Math.min(60, (room.width + gap - all) / items.length) : 0;
  let x = 0, line = 0;
  items.forEach((item, i) => {
    const inColumns = isSpread && !isOneLine;
    if (i && (inColumns ? i % balanced === 0 : x + widths[i] - gap > room.width)) {
      x = 0;
      ++line;
    }
    const place = section.items[i];
    const isEnd = item.hasAttribute('data-end');
    const left = room.left + (isEnd && room.width > x + widths[i] ? room.width - widths[i] + gap : x);
    const from = isEnd ? item.getBBox().x : place.x; // its words may have changed
    moveBy(item, left - from, section.items[0].y + line * height - place.y);
    x += inColumns ? step : widths[i] + extra;
  });
  return (line + 1) * height - number(element, 'data-height');
};

// Removes the last words that have no room.
function shorten(note, room) {
  let words = note.textContent;
  for (let end = words.lastIndexOf(', '); end > 0 && drawnWidth(note) > room; end = words.lastIndexOf(', '))
    note.textContent = words = words.slice(0, end);
}

layouts.bars = (section, room) => {
  const bars = [...section.element.children];
  if (!section.bars)
    section.bars = bars.map((bar) => ({...namedParts(bar), rects: [...bar.querySelectorAll('rect')].map((rect) => ({rect, x: number(rect, 'x'), width: number(rect, 'width')}))}));
  for (const {note} of section.bars) if (note) note.textContent = note.whole || (note.whole = note.textContent);
  const widest = (part) => Math.max(0, ...section.bars.map((bar) => (bar[part] ? drawnWidth(bar[part]) + 14 : 0)));
  const names = widest('name'), notes = widest('note');
  const isStacked = isPhone() && names + notes > 0;
  const left = room.left + (isStacked ? 0 : names), width = room.width - (isStacked ? 0 : names + notes);
  const from = number(section.element, 'data-left'), scale = width / number(section.element, 'data-span');
  const LABEL_ROOM = 16;
  section.bars.forEach((bar, i) => {
    moveBy(bars[i], 0, isStacked ? i * LABEL_ROOM : 0);
    if (bar.name) moveBy(bar.name, room.left - 24, isStacked ? -1 : 0);
    if (bar.note && isStacked) shorten(bar.note, room.width - (bar.name ? drawnWidth(bar.name) + 14 : 0));
    if (bar.note) moveBy(bar.note, room.left + room.width - number(bar.note, 'x'), isStacked ? -1 : 0);
    for (const {rect, x, width: drawn} of bar.rects) {
      setAttributes(rect, {x: (left + (x - from) * scale).toFixed(2), width: (drawn * scale).toFixed(2)});
      if (isStacked) moveBy(rect, 0, LABEL_ROOM - 1);
      else rect.removeAttribute('transform');
    }
  });
  return isStacked ? bars.length * LABEL_ROOM : 0;
};

// Returns the width of the column of kinds; 0 if it has no room, or is empty.
function kindsColumn(rows, room) {
  const widest = Math.max(0, ...rows.map(({row, parts}) => (parts.kinds ? measure(parts.kinds)(row.getAttribute('data-kinds')) : 0)));
  return room < LEAST_KINDS ? 0 : Math.min(widest, room);
}

function placeKinds(row, element, x, room) {
  element.textContent = room ? row.getAttribute('data-kinds') : '';
  element.setAttribute('x', x);
  shorten(element, room);
  const width = measure(element);
  for (let words = element.textContent; words && width(element.textContent) > room; element.textContent = words + '…') words = words.slice(0, -1);
}

// The columns of ranked_list.cpp: on one line, or with the label on a second one.
const KINDS_GAP = 14, LEAST_KINDS = 60, TWO_LINES_BELOW = 640, ROW_HEIGHT = 23, SECOND_LINE = 19, HEADING = 19, BAR_START = 100;
layouts.rows = (section, room) => {
  const {element} = section;
  const rows = [...element.querySelectorAll('.row')];
  if (!section.rows) section.rows = rows.map((row) => ({row, parts: namedParts(row)}));
  const isTall = room.width < TWO_LINES_BELOW;
  const rowHeight = isTall ? ROW_HEIGHT + SECOND_LINE : ROW_HEIGHT;
  const wasHeight = element.hasAttribute('data-tall') ? ROW_HEIGHT + SECOND_LINE : ROW_HEIGHT;
  const bar = room.width > 1000 ? 150 : 64;
  const note = Math.max(0, ...section.rows.map(({parts}) => drawnWidth(parts.note)));
  const hasShare = section.rows.some(({parts}) => parts.share);
  const share = BAR_START + bar + (hasShare ? 66 : 0);
  const kinds = kindsColumn(section.rows, isTall ? room.width - share - 18 - note - 12 : room.width > 1000 ? 230 : 168);
  const right = (kinds ? kinds + KINDS_GAP : 0) + note + 12; // what is next to a label on the same line
  const label = isTall ? 0 : share + 18;
  const heading = element.querySelector('[data-part=heading]'), rest = element.querySelector('[data-part=rest]');
  if (section.heading === undefined) section.heading = heading.textContent;
  const headings = brokenLines(section.heading.split(' '), ' ', room.width, 0, measure(heading));
  setLines(heading, headings, room.left, number(heading, 'y'), HEADING);
  const down = (headings.length - 1) * HEADING;
  section.rows.forEach(({row, parts}, i) => {
    moveBy(row, 0, down + i * (rowHeight - wasHeight));
    const top = number(row, 'data-y'), y = top + 14 + (isTall ? SECOND_LINE : 0);
    parts.value.setAttribute('x', room.left + 88);
    setAttributes(parts.bar, {x: room.left + BAR_START, width: Math.max(1, bar * Number(row.getAttribute('data-length'))).toFixed(2)});
    if (parts.share) parts.share.setAttribute('x', room.left + share);
    parts.note.setAttribute('x', room.left + room.width);
    const width = measure(parts.label);
    if (parts.kinds) placeKinds(row, parts.kinds, isTall ? room.left + share + 18 : room.left + room.width - note - KINDS_GAP - kinds, kinds);
    const space = room.width - label - (isTall ? 0 : right);
    const columns = Math.floor(space / width('M'));
    parts.label.textContent = rowLabel(row.getAttribute('data-name'), row.getAttribute('data-place') || '', columns);
    setAttributes(parts.label, {x: room.left + label, y});
    if (!parts.via) return;
    const start = label + width(parts.label.textContent) + 12;
    const left = Math.floor((room.width - (isTall ? 0 : right) - start) / width('M'));
    parts.via.textContent = left < 14 ? '' : cut(row.getAttribute('data-via'), left);
    setAttributes(parts.via, {x: room.left + start, y});
  });
  const growth = down + rows.length * (rowHeight - wasHeight);
  if (rest) moveBy(rest, room.left - number(rest, 'data-left'), growth);
  return growth;
};
