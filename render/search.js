// What was typed -> which boxes match, and how many bytes they hold together.
const search = {query: '', plain: false, matches: [], current: -1, problem: ''};

function formatBytes(bytes) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
  if (bytes < 1024) return bytes + ' B';
  let unit = 0;
  while (bytes >= 1023.5 && unit + 1 < units.length) {
    bytes /= 1024;
    ++unit;
  }
  return bytes.toFixed(bytes < 9.995 ? 2 : bytes < 99.95 ? 1 : 0) + ' ' + units[unit];
}

function formatPercent(part, whole) {
  if (!whole || !part) return '0 %';
  const percent = (100 * part) / whole;
  return percent < 0.1 ? '< 0.1 %' : percent.toFixed(1).replace(/\.0$/, '') + ' %';
}

function matcher(query, plain) {
  if (plain) {
    const wanted = query.toLowerCase();
    return (string) => string.toLowerCase().includes(wanted);
  }
  const expression = new RegExp(query, 'iu');
  return (string) => expression.test(string);
}

function runSearch(query) {
  search.query = query;
  search.problem = '';
  search.matches = [];
  search.current = -1;
  let matches = () => false;
  try {
    if (query) matches = matcher(query, search.plain);
  } catch (error) {
    search.problem = 'not a valid expression';
  }
  for (const box of boxes) {
    const hit = matches(box.haystack);
    if (hit) search.matches.push(box);
    box.hit = hit;
    box.element.classList.toggle('match', hit);
    if (box.parts) box.parts.forEach((part, i) => part.element.classList.toggle('match', hit && matches(box.run[i].heading)));
  }
}

// A match inside another match is counted once.
function matchedTotals() {
  const totals = {bytes: 0, before: 0, after: 0};
  for (let i = 0; i < boxes.length; ++i) {
    const box = boxes[i];
    if (!box.hit) continue;
    totals.bytes += box.bytes;
    totals.before += box.before;
    totals.after += box.after;
    i = box.end;
  }
  return totals;
}

function searchStatus() {
  if (search.problem) return search.problem;
  if (!search.query) return '';
  if (!search.matches.length) return 'no match';
  const totals = matchedTotals();
  const boxesText = search.matches.length === 1 ? '1 box, ' : search.matches.length + ' boxes, ';
  if (root.isDiff) return boxesText + formatBytes(totals.before) + ' → ' + formatBytes(totals.after);
  return boxesText + formatBytes(totals.bytes) + ', ' + formatPercent(totals.bytes, root.bytes);
}
