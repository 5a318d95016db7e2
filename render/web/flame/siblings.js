// Boxes as they are shown -> labels, no two of which are alike under one parent. The same rules as in siblings.cpp.
import {columnsOf, cutName, cutStart, signOf} from '../core/text.js';

const MOST_FOLDERS = 6;

export function fitMarkedLabel(label, mark, columns) {
  const sign = signOf(label);
  if (columns < sign.length + 3) return columns < 3 ? '' : sign.trim();
  const room = columns - sign.length;
  if (!mark) return sign + cutStart(label.name, room);
  const name = label.brief || label.name;
  const markColumns = columnsOf(mark) + 1;
  if (columnsOf(name) + markColumns <= room) return `${sign}${name} ${mark}`;
  if (!label.brief && room >= markColumns + 3) return `${sign}${cutName(name, room - markColumns)} ${mark}`;
  return markColumns <= room + 1 ? sign + mark : sign.trim();
}

// Returns a mark that may distinguish a box from its siblings: its line, then with its file, then with more of the
// folder.
function markOf(box, level) {
  const step = box.steps[0];
  if (!step.isFrame) return '';
  const line = (step.label.place.match(/:\d+$/) || [''])[0];
  if (level === 0) return line;
  const path = (step.heading.split('\n')[1] || '').replace(/ \([^)]*\)$/, '').replace(/:\d+$/, '');
  return path.split(/[/\\]/).slice(-level).join('/') + line;
}

export function marksOf(boxes) {
  let marks = [];
  for (let level = 0; level <= MOST_FOLDERS; ++level) {
    marks = boxes.map((box) => markOf(box, level));
    if (new Set(marks).size === marks.length) break;
  }
  return marks;
}

export function tellApart(boxes) {
  const alike = new Map();
  for (const box of boxes) {
    if (!box.shown || !box.parent || box.parts) continue;
    if (!alike.has(box.parent)) alike.set(box.parent, new Map());
    const byLabel = alike.get(box.parent);
    if (!byLabel.has(box.shown)) byLabel.set(box.shown, []);
    byLabel.get(box.shown).push(box);
  }
  for (const byLabel of alike.values())
    for (const group of byLabel.values()) {
      if (group.length < 2) continue;
      const marks = marksOf(group);
      group.forEach((box, i) => (box.textElement.textContent = box.shown = fitMarkedLabel(box.label, marks[i], box.columns)));
    }
}
