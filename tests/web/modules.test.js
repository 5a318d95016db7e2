// Errors that the bundle may hide: there all modules share one scope, so a name works that no module imports.
import assert from 'node:assert/strict';
import {readdirSync, readFileSync} from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import {fileURLToPath} from 'node:url';
import {freeNames, importsOf, unusedImports} from './names.js';

const root = fileURLToPath(new URL('../../render/web/', import.meta.url));
const filesIn = (folder) => readdirSync(path.join(root, folder), {withFileTypes: true}).flatMap((entry) =>
  entry.isDirectory() ? filesIn(path.join(folder, entry.name)) : entry.name.endsWith('.js') ? [path.join(folder, entry.name)] : []);
const modules = new Map(filesIn('').map((name) => [name, readFileSync(path.join(root, name), 'utf8')]));
const resolved = (module, from) => path.join(path.dirname(module), from);
const folderOf = (module) => (module.includes(path.sep) ? module.split(path.sep)[0] : '');

const OF_THE_LANGUAGE = ['Array', 'BigInt', 'Boolean', 'Error', 'Float64Array', 'Infinity', 'Map', 'Math', 'NaN', 'Number', 'Object', 'RegExp', 'Set', 'String', 'performance'];
const OF_BROWSERS = ['DOMPoint', 'URLSearchParams', 'cancelAnimationFrame', 'document', 'getComputedStyle', 'history', 'location', 'matchMedia', 'navigator',
                     'requestAnimationFrame', 'window'];

function needed(module, found = new Set()) {
  found.add(module);
  for (const {from} of importsOf(modules.get(module))) if (!found.has(resolved(module, from))) needed(resolved(module, from), found);
  return found;
}

test('every name is declared or imported where it is used', () => {
  for (const [module, text] of modules) {
    const known = [...OF_THE_LANGUAGE, ...OF_BROWSERS];
    assert.deepEqual(freeNames(text).filter((name) => !known.includes(name)), [], module);
    assert.deepEqual(unusedImports(text), [], module);
  }
});

test('a name that is missing is found', () => {
  assert.deepEqual(freeNames("import {a} from './a.js';\nconst f = ({b, c: d}, ...e) => a + b.x + d + e + `${g} h` + 'i'; // j\n"), ['g']);
  assert.deepEqual(freeNames('for (const [a, b] of pairs) { if (/c"d/.test(a)) throw {e: b, ...f}; }'), ['pairs', 'f']);
  assert.deepEqual(unusedImports("import {a, b} from './a.js';\nb();\n"), ['a']);
});

test('modules without the document have no name of a browser, and node imports them', async () => {
  const withDocument = path.join('core', 'dom.js');
  let count = 0;
  for (const [module, text] of modules) {
    const isPure = !needed(module).has(withDocument) && !freeNames(text).some((name) => OF_BROWSERS.includes(name));
    if (!isPure) continue;
    ++count;
    await import(new URL(module, new URL('../../render/web/', import.meta.url)));
  }
  assert.ok(count >= 20, `only ${count} modules`);
  for (const logic of ['core/numbers.js', 'core/text.js', 'core/matcher.js', 'core/search.js', 'flame/model.js', 'flame/derive.js', 'flame/layout.js',
                       'flame/weighing.js', 'state/model.js', 'state/layout.js', 'timeline/model.js', 'timeline/layout.js'])
    assert.ok(!needed(path.normalize(logic)).has(withDocument), `${logic} needs the document`);
});

test('the core knows no picture, no picture knows another, and every module is in a picture', () => {
  const entries = [...modules.keys()].filter((module) => folderOf(module) === '');
  for (const [module, text] of modules)
    for (const {from} of importsOf(text)) {
      const target = folderOf(resolved(module, from));
      assert.ok(entries.includes(module) || target === 'core' || target === folderOf(module), `${module} imports ${from}`);
    }
  const used = new Set(entries.flatMap((entry) => [...needed(entry)]));
  assert.deepEqual([...modules.keys()].filter((module) => !used.has(module)), []);
});
