// A zip or tar archive -> the snapshots in it, those of a zip unpacked when they are asked for.
const MOST_GROWTH = 1000, ALWAYS_ALLOWED = 64 << 20; // as SECURITY.md promises of files that unpack
const SNAPSHOT_NAME = /\.(pickle|pkl|pt|json|ndjson)(\.(gz|zst|xz|bz2))?$/;
const ARCHIVE_NAME = /\.(zip|tar|tgz|tar\.gz)$/;
const isOwnFile = (name) => !name.endsWith('/') && !name.startsWith('__MACOSX/') && !name.split('/').at(-1).startsWith('.');
export const isSnapshotName = (name) => isOwnFile(name) && (SNAPSHOT_NAME.test(name) || ARCHIVE_NAME.test(name));

// Browsers have names that the types of TypeScript 4.8 lack.
/** @type {any} */
const newGlobal = globalThis;

// Unpacks a blob, which must not grow beyond measure.
async function inflated(blob, format) {
  const most = Math.max(ALWAYS_ALLOWED, blob.size * MOST_GROWTH), pieces = [];
  const reader = blob.stream().pipeThrough(new newGlobal.DecompressionStream(format)).getReader();
  for (let size = 0; ; ) {
    const {done, value} = await reader.read();
    if (done) return new Blob(pieces);
    size += value.length;
    if (size > most) throw new Error('unpacks to more than 64 MiB and a thousand times its size');
    pieces.push(value);
  }
}

const partOf = async (blob, begin, end) => new DataView(await blob.slice(begin, end).arrayBuffer());
const textOf = (part, begin, size) => new TextDecoder().decode(new Uint8Array(part.buffer, begin, size)).replace(/\0.*$/s, '');

const END_RECORD = 22, ENTRY_RECORD = 46, LOCAL_RECORD = 30, LARGEST_COMMENT = 65535, IN_ZIP64 = 0xffffffff;

async function zipEntry(blob, {at, packed, method}) {
  const local = await partOf(blob, at, at + LOCAL_RECORD);
  const begin = at + LOCAL_RECORD + local.getUint16(26, true) + local.getUint16(28, true);
  const content = blob.slice(begin, begin + packed);
  if (method === 0) return content;
  if (method !== 8) throw new Error('is compressed in a way that a page does not read: unpack the archive first');
  return inflated(content, 'deflate-raw');
}

async function zipEntries(blob) {
  const tail = await partOf(blob, Math.max(0, blob.size - END_RECORD - LARGEST_COMMENT), blob.size);
  let end = tail.byteLength - END_RECORD;
  while (end >= 0 && tail.getUint32(end, true) !== 0x06054b50) end--;
  if (end < 0) throw new Error('the zip archive is damaged, or the file is cut short');
  const begin = tail.getUint32(end + 16, true);
  if (begin === IN_ZIP64) throw new Error('a zip archive of this size must be unpacked first');
  const directory = await partOf(blob, begin, begin + tail.getUint32(end + 12, true)), entries = [];
  for (let at = 0; at + ENTRY_RECORD <= directory.byteLength && directory.getUint32(at, true) === 0x02014b50; ) {
    const [nameSize, ...others] = [28, 30, 32].map((place) => directory.getUint16(at + place, true));
    const place = {method: directory.getUint16(at + 10, true), packed: directory.getUint32(at + 20, true), at: directory.getUint32(at + 42, true)};
    entries.push({name: textOf(directory, at + ENTRY_RECORD, Math.min(nameSize, directory.byteLength - at - ENTRY_RECORD)), read: () => zipEntry(blob, place)});
    at += ENTRY_RECORD + nameSize + others[0] + others[1];
  }
  return entries;
}

const TAR_BLOCK = 512, LONG_NAME = 'L', MORE_ABOUT_NEXT = 'x';

// Octal digits; larger sizes than these allow are written in another way.
function tarSize(text) {
  if (!/^ *[0-7]+ *$/.test(text)) throw new Error('the tar archive is damaged, or has files that only the memviz program reads');
  return parseInt(text, 8);
}

async function tarEntries(blob) {
  const entries = [];
  let longName = '';
  for (let at = 0; at + TAR_BLOCK <= blob.size; ) {
    const head = await partOf(blob, at, at + TAR_BLOCK), type = textOf(head, 156, 1), begin = at + TAR_BLOCK;
    if (!textOf(head, 0, 100)) break; // blocks of zeros are the end
    const size = tarSize(textOf(head, 124, 12));
    const content = blob.slice(begin, begin + size), folder = textOf(head, 345, 155), own = textOf(head, 0, 100);
    if (type === LONG_NAME) longName = await content.text().then((text) => text.replace(/\0.*$/s, ''));
    else if (type === MORE_ABOUT_NEXT) longName = (/(?:^|\n)\d+ path=([^\n]*)\n/.exec(await content.text()) || ['', longName])[1];
    else {
      if (type === '' || type === '0') entries.push({name: longName || (folder ? `${folder}/${own}` : own), read: async () => content});
      longName = '';
    }
    at = begin + Math.ceil(size / TAR_BLOCK) * TAR_BLOCK;
  }
  return entries;
}

const isGzip = (part) => part.byteLength > 1 && part.getUint16(0) === 0x1f8b;

// Returns the snapshots of an archive, as {name, read}; null for another file. Of one with a single snapshot that has the
// name of the archive.
async function archiveEntries(blob, name) {
  const head = await partOf(blob, 0, 4);
  let entries = null;
  if (head.byteLength === 4 && head.getUint32(0) === 0x504b0304) entries = await zipEntries(blob);
  else if (/\.(tar|tgz|tar\.gz)$/.test(name)) entries = await tarEntries(isGzip(head) ? await inflated(blob, 'gzip') : blob);
  if (!entries || entries.some((entry) => /^[^/]+\/data\.pkl$/.test(entry.name))) return null; // of torch.save
  const own = entries.filter((entry) => isSnapshotName(entry.name));
  if (own.length === 1) return [{name, read: own[0].read}];
  return own.map((entry) => ({name: `${name}/${entry.name}`, read: entry.read}));
}

// Returns the snapshots of a file, an archive or not, as {name, read}.
export const snapshotsOf = async ({name, blob}) => (await archiveEntries(blob, name)) || [{name, read: async () => blob}];
