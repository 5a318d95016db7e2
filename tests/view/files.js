// The snapshots that the tests of the engine read.
import assert from 'node:assert/strict';
import {existsSync, readdirSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';

export const testdata = fileURLToPath(new URL('../../testdata', import.meta.url));
const shared = fileURLToPath(new URL('../../../shared/snapshots', import.meta.url));
const FOLDERS = ['', 'cases', 'causes', 'encodings', 'leaks', 'recorded'];

// The files that the command line names; none: the test has a list.
export const named = process.argv.slice(2).map((file) => resolve(file));

export const snapshotsOf = (folder) => readdirSync(folder).filter((name) => /\.pickle(\.zst)?$/.test(name)).sort().map((name) => join(folder, name));

// The real snapshots; none where they are missing, unless MEMVIZ_NEED_SHARED is set.
export function realSnapshots() {
  if (existsSync(shared)) return snapshotsOf(shared);
  assert.ok(!process.env.MEMVIZ_NEED_SHARED, `MEMVIZ_NEED_SHARED is set, but there is no ${shared}`);
  console.log('no real snapshots (../shared): they are left out');
  return [];
}

// All of testdata/ but the hostile files, and the real snapshots.
export const everySnapshot = () => [...FOLDERS.flatMap((folder) => snapshotsOf(join(testdata, folder))), ...realSnapshots()];
