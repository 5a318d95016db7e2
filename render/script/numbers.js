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

function formatDuration(us) {
  const scaled = (value, unit) => value.toFixed(value < 9.995 ? 2 : value < 99.95 ? 1 : 0) + ' ' + unit;
  if (us < 1000) return formatCount(us) + ' us';
  if (us < 999500) return scaled(us / 1e3, 'ms');
  if (us < 59.5e6) return scaled(us / 1e6, 's');
  const seconds = Math.floor(Math.max(us, 60e6) / 1e6), minutes = Math.floor(seconds / 60), hours = Math.floor(minutes / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  if (hours < 24) return `${hours} h ${minutes % 60} min`;
  return `${formatCount(Math.floor(hours / 24))} d ${hours % 24} h`;
}
