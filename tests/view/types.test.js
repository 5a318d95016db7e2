// The types of the page's scripts, as their comments declare them, checked by TypeScript where it is installed.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import test from 'node:test';
import {fileURLToPath} from 'node:url';

const web = fileURLToPath(new URL('../../view/web/', import.meta.url));
const SKIPPED = 77;

const tsc = (...options) => spawnSync('tsc', options, {encoding: 'utf8'});
if (tsc('--version').error) {
  console.log('skipped: no tsc on this machine (./run test installs it)');
  process.exit(SKIPPED);
}

test('each script of the page keeps to the types that its comments declare', () => {
  const {stdout, status} = tsc('--project', web);
  assert.equal(stdout, '');
  assert.equal(status, 0);
});

test('a member of the state that does not exist is found', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'types-'));
  try {
    const {compilerOptions} = JSON.parse(readFileSync(path.join(web, 'tsconfig.json'), 'utf8'));
    writeFileSync(path.join(folder, 'wrong.js'), `import {deviceNow} from '${web}model.js';\nexport function wrong(/** @type {Page} */ page) {\n  page.change({playhead: 3});\n  page.watch(['stat'], () => deviceNow(page).peek);\n}\n`);
    writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({compilerOptions, files: ['wrong.js', `${web}globals.d.ts`]}));
    const {stdout} = tsc('--project', folder);
    for (const name of ['playhead', 'stat', 'peek']) assert.match(stdout, new RegExp(`wrong\\.js.*'?"?${name}`));
  } finally {
    rmSync(folder, {recursive: true});
  }
});
