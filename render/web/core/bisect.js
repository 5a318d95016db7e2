// How many entries, of `count` in order, come before the first that `isBefore` does not hold for.
export function countBefore(count, isBefore) {
  let low = 0, high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
