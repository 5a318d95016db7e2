// Returns the bytes that the matching boxes hold together. A match inside another match is counted once.
export function matchedTotals(boxes) {
  const totals = {bytes: 0, before: 0, after: 0};
  for (let i = 0; i < boxes.length; ++i) {
    const box = boxes[i];
    if (!box.hit) continue;
    for (const key in totals) totals[key] += box[key];
    i = box.end;
  }
  return totals;
}
