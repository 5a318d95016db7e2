// Text: how wide, how to cut; and what stands around numbers. The same rules as in text_fit.cpp and format.cpp.
// What stays with the number before it.
const UNIT = '(?:[KMGTPE]?i?B|%|x)(?![A-Za-z])';
const LEAST_PLACE = 9, LEAST_NAME = 5;

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

// Upper bound of the width of text in a sans-serif font, in em: where what is laid out may not depend on the font.
function sansEm(letter) {
  if (letter.codePointAt(0) >= 0x80) return columnsOfPoint(letter.codePointAt(0));
  if (" ijl.,:;'!f".includes(letter)) return 0.4;
  if ('|I()[]-rt'.includes(letter)) return 0.46;
  if ('mwMW@%'.includes(letter)) return 1.08;
  if ('+<=>~#&^'.includes(letter)) return 0.84;
  return letter >= 'A' && letter <= 'Z' ? 0.79 : 0.65;
}

function sansWidth(string, fontSize) {
  let em = 0;
  for (const letter of string) em += sansEm(letter);
  return em * fontSize;
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

// The end of a text: what matters of a long path or address.
function cutStart(string, columns) {
  if (columns < 3) return '';
  let rest = string;
  while (columnsOf(rest) > columns - (rest === string ? 0 : 1)) rest = rest.slice(rest.codePointAt(0) > 0xffff ? 2 : 1);
  return rest === string ? string : '…' + rest;
}

// A qualified C++ name loses its outer parts first; the ends of addresses tell segments apart.
function cutName(name, columns) {
  if (columns < 3 || columnsOf(name) <= columns) return cut(name, columns);
  if (/^segment 0x[0-9a-f]+$/.test(name)) return '…' + name.slice(1 - columns);
  for (let colons = name.indexOf('::'); colons >= 0; colons = name.indexOf('::')) {
    name = name.slice(colons + 2);
    if (columnsOf(name) < columns) return '…' + name;
  }
  return cut(name, columns);
}

// Name and place of a row in a list: where both are too long the name is cut.
function rowLabel(name, place, columns) {
  const room = columns - columnsOf(place) - 1;
  return place && room >= 8 ? `${cutName(name, room)} ${place}` : cutName(name, columns);
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
  const name = label.brief || columns < sign.length + LEAST_NAME ? '' : cutName(label.name, columns - sign.length);
  return name ? sign + name : sign.trim();
}

const countOf = (count, noun) => formatCount(count) + ' ' + noun + (count === 1 ? '' : 's');
const exactBytes = (bytes) => (bytes < 1024 ? formatBytes(bytes) : `${formatBytes(bytes)} (${formatCount(bytes)} bytes)`);

function formatPercent(part, whole) {
  if (!whole) return '-';
  if (!part) return '0 %';
  if (part === whole) return '100 %';
  const percent = (100 * part) / whole;
  if (percent < 0.1) return '< 0.1 %';
  return percent > 99.9 && part < whole ? '> 99.9 %' : percent.toFixed(1) + ' %';
}

// A change as a share of what was before: see format_change() in format.hpp.
function formatChange(change, before, former) {
  const share = before ? change / before : 0, times = 1 + share;
  if (100 * share < 1000) return `${formatPercent(change, before)} of ${former}`;
  return `${times < 99.95 ? times.toFixed(1) : formatCount(times)} x ${former}`;
}
