// Returns the number of entries, of `count` in order, before the first for which `isBefore` does not hold.
export function countBefore(count, isBefore) {
  let low = 0, high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
