// Words -> lines of a width; `width` is a function that measures a text.
import {UNIT} from './text.js';

// Returns the end of the first line of a text that is too long: between words if possible.
function endOfLine(string, room, width) {
  let fitting = 1;
  while (fitting < string.length && width(string.slice(0, fitting + 1)) <= room) ++fitting;
  let space = string.lastIndexOf(' ', fitting);
  while (space > 0 && new RegExp('^' + UNIT).test(string.slice(space + 1))) space = string.lastIndexOf(' ', space - 1);
  if (space > 0) return space;
  // Avoids splitting a character of two units.
  if (string.codePointAt(fitting - 1) <= 0xffff) return fitting;
  return fitting > 1 ? fitting - 1 : 2;
}

// Wraps line after line; the first one begins `used` pixels in.
export function brokenLines(atoms, separator, room, used, width) {
  const lines = [''];
  let left = room - used;
  for (const atom of atoms) {
    const longer = lines[lines.length - 1] ? lines[lines.length - 1] + separator + atom : atom;
    if (width(longer) <= left) {
      lines[lines.length - 1] = longer;
      continue;
    }
    if (lines[lines.length - 1] || used) {
      lines.push('');
      left = room;
      used = 0;
    }
    let rest = atom;
    while (width(rest) > room && rest.length > 1) {
      const end = endOfLine(rest, room, width);
      lines[lines.length - 1] = rest.slice(0, end);
      rest = rest.slice(end).trimStart();
      lines.push('');
    }
    lines[lines.length - 1] = rest;
  }
  return lines;
}
