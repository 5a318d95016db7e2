// Numbers as people read them. The same rules as in format.cpp; tests of both read testdata/number_vectors.json.

// Like toFixed(), but a number halfway between two is rounded to the even one, as in C++. A number is exactly halfway
// only if doubling it that often gives a whole number of halves.
export function fixed(value, decimals) {
  const isHalfway = (value * 2 ** (decimals + 1)) % 2 === 1;
  const up = value.toFixed(decimals);
  return isHalfway && Number(up.at(-1)) % 2 ? (value - 0.5 / 10 ** decimals).toFixed(decimals) : up;
}

const threeDigits = (value) => fixed(value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0);

export const formatCount = (count) => String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ',');
export const countOf = (count, noun) => formatCount(count) + ' ' + noun + (count === 1 ? '' : 's');

export function formatBytes(bytes) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
  if (bytes < 1024) return formatCount(bytes) + ' B';
  let unit = 0;
  while (bytes >= 1023.5 && unit + 1 < units.length) {
    bytes /= 1024;
    ++unit;
  }
  return (bytes >= 999.5 ? formatCount(bytes) : threeDigits(bytes)) + ' ' + units[unit];
}

export const exactBytes = (bytes) => (bytes < 1024 ? formatBytes(bytes) : `${formatBytes(bytes)} (${formatCount(bytes)} bytes)`);

export function formatFlops(flops) {
  const units = ['', 'k', 'M', 'G', 'T', 'P', 'E'];
  let unit = 0;
  while (flops >= 999.5 && unit + 1 < units.length) {
    flops /= 1000;
    ++unit;
  }
  return (unit ? threeDigits(flops) : String(flops)) + ` ${units[unit]}FLOP`;
}

export const exactFlops = (flops) => (flops < 1000 ? formatFlops(flops) : `${formatFlops(flops)} (${formatCount(flops)})`);

export function formatDuration(us) {
  if (us < 1000) return formatCount(us) + ' us';
  if (us < 999500) return threeDigits(us / 1e3) + ' ms';
  if (us < 59.5e6) return threeDigits(us / 1e6) + ' s';
  const seconds = Math.floor(Math.max(us, 60e6) / 1e6), minutes = Math.floor(seconds / 60), hours = Math.floor(minutes / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  if (hours < 24) return `${hours} h ${minutes % 60} min`;
  return `${formatCount(Math.floor(hours / 24))} d ${hours % 24} h`;
}

export function formatPercent(part, whole) {
  if (!whole) return '-';
  if (!part) return '0 %';
  if (part === whole) return '100 %';
  const percent = (100 * part) / whole;
  if (percent < 0.1) return '< 0.1 %';
  return percent > 99.9 && part < whole ? '> 99.9 %' : fixed(percent, 1) + ' %';
}

// Returns a change as a share of the former value: see format_change() in format.hpp.
export function formatChange(change, before, former) {
  const share = before ? change / before : 0, times = 1 + share;
  if (100 * share < 1000)
    return `${share > 0.999 && share < 1 ? fixed(100 * share, 1) + ' %' : formatPercent(change, before)} of ${former}`;
  return `${times < 99.95 ? fixed(times, 1) : formatCount(times)} x ${former}`;
}
