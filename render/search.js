// What was typed -> which boxes match, and how many bytes they hold together.
const search = {query: '', matches: [], current: -1, problem: ''};

// Plain text, or a regular expression between slashes; capitals do not matter.
function matcher(query) {
  if (query.length > 2 && query.startsWith('/') && query.endsWith('/')) {
    const expression = new RegExp(query.slice(1, -1), 'iu');
    return (string) => expression.test(string);
  }
  const wanted = query.toLowerCase();
  return (string) => string.toLowerCase().includes(wanted);
}

function markMatch(box, isHit, matches) {
  if (box.hit || isHit) box.element.classList.toggle('match', isHit);
  box.hit = isHit;
  if (box.parts) box.parts.forEach((part, i) => part.element.classList.toggle('match', isHit && matches(haystackOf([box.run[i]]))));
}

function runSearch(query) {
  search.query = query;
  search.problem = '';
  search.matches = [];
  search.current = -1;
  let matches = () => false;
  try {
    if (query) matches = matcher(query);
  } catch (error) {
    search.problem = 'not a valid expression';
  }
  for (const box of boxes) {
    const isHit = matches(box.haystack);
    if (isHit) search.matches.push(box);
    markMatch(box, isHit, matches);
  }
  graph.classList.toggle('searching', search.matches.length > 0);
}

// A match inside another match is counted once.
function matchedTotals() {
  const totals = {bytes: 0, before: 0, after: 0};
  for (let i = 0; i < boxes.length; ++i) {
    const box = boxes[i];
    if (!box.hit) continue;
    for (const key in totals) totals[key] += box[key];
    i = box.end;
  }
  return totals;
}

function searchStatus() {
  if (search.problem) return search.problem;
  if (!search.query) return '';
  if (!search.matches.length) return 'no match';
  const totals = matchedTotals();
  const place = search.current < 0 ? '' : `${search.current + 1} of `;
  const count = place + (search.matches.length === 1 ? '1 box' : formatCount(search.matches.length) + ' boxes');
  if (isDiff) return `${count}, ${formatBytes(totals.before)} → ${formatBytes(totals.after)}`;
  return `${count}, ${formatBytes(totals.bytes)}, ${formatPercent(totals.bytes, boxes[0].bytes)}`;
}

function nextMatch(step) {
  if (!search.matches.length) return;
  const count = search.matches.length;
  search.current = search.current < 0 ? (step > 0 ? 0 : count - 1) : (search.current + step + count) % count;
  const box = search.matches[search.current];
  if (!box.span) zoomTo(boxes[0]);
  focusBox(box);
  showStatus(searchStatus());
}
