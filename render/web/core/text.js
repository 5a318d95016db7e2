// The width of text, and how it is cut. The same rules as in text_fit.cpp and, for words that stay with the number
// before them, in is_unit() of format.cpp.
export const UNIT = '(?:[KMGTPE]?i?B|%|x)(?![A-Za-z])';
// The width of a letter in a monospaced font of 12 pixels, kMonoEm in text_fit.hpp.
export const COLUMN_WIDTH = 12 * 0.61;
const LEAST_PLACE = 9, LEAST_NAME = 5, LEAST_PATH = 12;
// Returns ":176" of "models.py:176", the part that readers need; "" without a line.
export const lineMark = (place) => (/:[0-9]+$/.exec(place) || [''])[0];

function columnsOfPoint(point) {
  if (point < 0x530 || (point >= 0x2010 && point <= 0x2027) || point === 0x2212) return 1;
  if (point === 0xfdfa || point === 0xfdfb || point === 0xfdfd) return 14;
  return point >= 0x10000 && point < 0x1f000 ? 4 : 2;
}

export function columnsOf(string) {
  let columns = 0;
  for (const letter of string) columns += columnsOfPoint(letter.codePointAt(0));
  return columns;
}

// Returns an upper bound of the width of text in a sans-serif font, in em, for layouts that must not depend on the
// font.
function sansEm(letter) {
  if (letter.codePointAt(0) >= 0x80) return columnsOfPoint(letter.codePointAt(0));
  if (" ijl.,:;'!f".includes(letter)) return 0.4;
  if ('|I()[]-rt'.includes(letter)) return 0.46;
  if ('mwMW@%'.includes(letter)) return 1.08;
  if ('+<=>~#&^'.includes(letter)) return 0.84;
  return letter >= 'A' && letter <= 'Z' ? 0.79 : 0.65;
}

export function sansWidth(string, fontSize) {
  let em = 0;
  for (const letter of string) em += sansEm(letter);
  return em * fontSize;
}

export function cut(string, columns) {
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

// Keeps the end of a text, the important part of a long path or address.
export function cutStart(string, columns) {
  if (columns < 3) return '';
  let rest = string;
  while (columnsOf(rest) > columns - (rest === string ? 0 : 1)) rest = rest.slice(rest.codePointAt(0) > 0xffff ? 2 : 1);
  return rest === string ? string : '…' + rest;
}

// Cuts a line of a tooltip; one that ends with a place, "forward  /home/me/model.py:41 (your code)", keeps the line number
// and the end of the path.
export function cutPlace(string, columns) {
  if (columnsOf(string) <= columns) return string;
  const [, before, path, end] = /^(.*?)([^\s:]+)(:\d+(?: \([^()]*\))?)$/.exec(string) || [];
  const room = columns - columnsOf(end || ''), least = Math.min(LEAST_PATH, columnsOf(path || ''));
  if (!path || room < least + LEAST_NAME + 1) return cut(string, columns);
  if (columnsOf(before) + least <= room) return before + cutStart(path, room - columnsOf(before)) + end;
  return `${cut(before.trimEnd(), room - least - 1)} ${cutStart(path, least)}${end}`;
}

// Removes the outer parts of a qualified C++ name first; the ends of addresses distinguish segments.
export function cutName(name, columns) {
  if (columns < 3 || columnsOf(name) <= columns) return cut(name, columns);
  if (/^segment 0x[0-9a-f]+$/.test(name)) return '…' + name.slice(1 - columns);
  for (let colons = name.indexOf('::'); colons >= 0; colons = name.indexOf('::')) {
    name = name.slice(colons + 2);
    if (columnsOf(name) < columns) return '…' + name;
  }
  return cut(name, columns);
}

// Returns name and place of a row in a list: if both are too long, cuts the name.
export function rowLabel(name, place, columns) {
  const room = columns - columnsOf(place) - 1;
  return place && room >= 8 ? `${cutName(name, room)} ${place}` : cutName(name, columns);
}

// Returns the sign that begins the note of a change.
export const signOf = ({note}) => (/^[+−]/.test(note) ? note[0] + ' ' : '');

// Returns the longest form that fits: see fit_label() in text_fit.hpp.
export function fitLabel(label, columns) {
  if (columns < 3) return '';
  const {name, place, note, source, brief} = label, sign = signOf(label);
  const line = brief ? '' : lineMark(place);
  const forms = [];
  if (place && note && source && !brief) forms.push(`${name} ${place}  ${source}  ${note}`);
  if (place && note) forms.push(`${name} ${place}  ${note}`);
  if (!sign && place) forms.push(`${name} ${place}`);
  if (line && note) forms.push(`${name} ${line}  ${note}`);
  if (sign || !place) forms.push(note ? `${name}  ${note}` : name);
  if (line) forms.push(`${sign}${name} ${line}`);
  const cutColumns = columns - sign.length - line.length - 1;
  if (line && cutColumns >= LEAST_NAME) forms.push(`${sign}${cutName(name, cutColumns)} ${line}`);
  const room = columns - columnsOf(name);
  if (!sign && brief && place && room > LEAST_PLACE) forms.push(`${name} ${cut(place, room - 1)}`);
  if (!place && brief && note) forms.push(`${brief}  ${note}`);
  forms.push(sign + name);
  if (brief && place) forms.push(`${sign}⋯ ${place.replace(/^\S* /, '')}`);
  if (brief) forms.push(sign + brief);
  const fitting = forms.find((form) => columnsOf(form) <= columns);
  if (fitting) return fitting;
  const short = brief || columns < sign.length + LEAST_NAME ? '' : cutName(name, columns - sign.length);
  return short ? sign + short : sign.trim();
}

// Returns the same, but without room for the beginning of the name the line alone: see fit_line_label().
export function fitLineLabel(label, columns) {
  const line = lineMark(label.place);
  if (!line || columnsOf(label.name) + 1 + line.length <= columns || columns > LEAST_NAME + line.length) return fitLabel(label, columns);
  return columnsOf(line) <= columns ? line : '';
}

// A frame or a line as the page of `memviz view` names it.
export const wordsOfLabel = ({name, place}) => (place ? `${name} ${place}` : name);
