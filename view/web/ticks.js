// Round numbers for axes.
const log = (value, base) => Math.log(value) / Math.log(base);

// Powers of two for bytes, so that each is round in KiB, MiB or GiB: at most `count` steps between two.
export function byteTicks(low, high, count) {
  if (!(high > low)) return [];
  const step = 2 ** Math.max(0, Math.ceil(log((high - low) / count, 2)));
  return multiples(step, low, high).filter((tick) => tick > 0);
}

// 1, 2 or 5 times a power of ten: about `count` numbers between two, which may be equal.
export function decimalTicks(first, last, count) {
  if (!(last > first)) return [];
  const rough = Math.max(1, (last - first) / count), power = 10 ** Math.floor(log(rough, 10) + 1e-9);
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough * (1 - 1e-9));
  return multiples(step, first, last);
}

function multiples(step, first, last) {
  const found = [];
  for (let i = Math.ceil(first / step); i * step <= last; ++i) found.push(i * step || 0); // never -0
  return found;
}
