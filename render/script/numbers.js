// Numbers as people read them. The same rules as in format.cpp.
const formatCount = (count) => String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ',');

function formatBytes(bytes) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
  if (bytes < 1024) return formatCount(bytes) + ' B';
  let unit = 0;
  while (bytes >= 1023.5 && unit + 1 < units.length) {
    bytes /= 1024;
    ++unit;
  }
  if (bytes >= 999.5) return formatCount(bytes) + ' ' + units[unit];
  return bytes.toFixed(bytes < 9.995 ? 2 : bytes < 99.95 ? 1 : 0) + ' ' + units[unit];
}
