// What was typed -> which boxes match, and how many bytes they hold together.
const search = {query: '', matches: [], current: -1, problem: '', test: () => false};

// Says on its element whether a box matches, where that has changed.
function markElement(box) {
  if (box.element && Boolean(box.isMarked) !== box.hit) box.element.classList.toggle('match', (box.isMarked = box.hit));
  if (box.parts) box.parts.forEach((part, i) => part.element.classList.toggle('match', search.test(box.run[i])));
}

function runSearch(query) {
  search.query = query;
  search.problem = '';
  search.matches = [];
  search.current = -1;
  search.test = () => false;
  try {
    if (query) search.test = matcher(query);
    for (const box of boxes) box.hit = box.steps.some(search.test);
  } catch (error) {
    search.problem = problemOf(error);
    search.test = () => false;
    for (const box of boxes) box.hit = false;
  }
  for (const box of boxes) {
    if (box.hit) search.matches.push(box);
    if (!box.isDust) markElement(box);
  }
  if (boxes[0].span) drawDust(boxes.filter((box) => box.isDust));
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
  const box = stepToMatch(step);
  if (!box) return;
  if (!box.span) zoomTo(boxes[0]);
  focusBox(box);
  showStatus(searchStatus());
}
