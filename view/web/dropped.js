// A drop, or files that were chosen -> their names and contents; of a folder those with the name of a snapshot.
import {isSnapshotName} from './archive.js';

const entriesIn = (folder) => {
  const reader = folder.createReader();
  return new Promise((resolve, reject) => {
    const all = [];
    const next = () => reader.readEntries((some) => (some.length ? (all.push(...some), next()) : resolve(all)), reject);
    next();
  });
};

// Returns the snapshots below an entry or a handle of a folder, as {name, blob} with the path from the folder's own name.
async function filesOfEntry(entry) {
  if (entry.isDirectory) return (await Promise.all((await entriesIn(entry)).map(filesOfEntry))).flat();
  const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
  return isSnapshotName(entry.name) ? [{name: entry.fullPath.replace(/^\//, ''), blob: file}] : [];
}

async function filesOfHandle(handle, above = '') {
  const name = above + handle.name, found = [];
  if (handle.kind === 'file') return isSnapshotName(handle.name) ? [{name, blob: await handle.getFile()}] : [];
  for await (const inner of handle.values()) found.push(...(await filesOfHandle(inner, `${name}/`)));
  return found;
}

// Chromium reads the entries of a folder on no page that is a file itself, but its handle; other browsers have entries alone.
async function filesOfFolder({entry, handle}) {
  const found = await handle;
  if (found) return filesOfHandle(found);
  return filesOfEntry(entry).catch(() => {
    throw new Error('this browser does not let the page read a dropped folder: choose it with "a folder" at the top');
  });
}

// Takes the files of a drop, as {isFolder, files}, while its event is handled: its items are gone afterwards.
export async function droppedFiles(transfer) {
  const items = Array.from(transfer.items, (item) => {
    const entry = item.webkitGetAsEntry && item.webkitGetAsEntry(), isFolder = Boolean(entry) && entry.isDirectory;
    return {entry, isFolder, handle: isFolder && item.getAsFileSystemHandle && item.getAsFileSystemHandle().catch(() => null), file: item.getAsFile()};
  });
  const files = items.filter(({isFolder, file}) => file && !isFolder).map(({file}) => ({name: file.name, blob: file}));
  const folders = items.filter(({isFolder}) => isFolder);
  return {isFolder: folders.length > 0, files: [...(await Promise.all(folders.map(filesOfFolder))).flat(), ...files]};
}

// Chosen files: those of a folder have its name in their paths.
export function chosenFiles(list) {
  const files = Array.from(list, (file) => ({name: file.webkitRelativePath || file.name, blob: file}));
  const isFolder = files.some(({name}) => name.includes('/'));
  return {isFolder, files: isFolder ? files.filter(({name}) => isSnapshotName(name)) : files};
}
