// The scripts that bundle.cmake makes from modules, and its errors.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import test from 'node:test';
import {fileURLToPath} from 'node:url';

const script = fileURLToPath(new URL('../../render/web/bundle.cmake', import.meta.url));

// Returns the script made from modules given as {name: text}, with the entry `main.js`, or the reason why there is none.
function bundled(modules) {
  const folder = mkdtempSync(path.join(tmpdir(), 'memviz-bundle-'));
  try {
    for (const name in modules) writeFileSync(path.join(folder, name), modules[name]);
    const output = path.join(folder, 'bundle.out');
    const {status, stderr} = spawnSync(process.env.CMAKE || 'cmake', [`-DENTRY=${folder}/main.js`, `-DOUTPUT=${output}`, '-P', script], {encoding: 'utf8'});
    return status ? stderr.replace(/\s+/g, ' ') : readFileSync(output, 'utf8');
  } finally {
    rmSync(folder, {recursive: true});
  }
}

test('what is imported comes first, once, and without comments and indentation', () => {
  const made = bundled({
    'main.js': "// The entry.\nimport {a, B} from './a.js';\nimport './c.js';\n\nif (a) {\n  // Says it.\n  seen.push(a + B + 'x;[y]\\\\z');\n}\n",
    'a.js': "import {c} from './c.js';\nexport const a = c + 1, B = 2;\n",
    'c.js': 'export let c = 1;\nexport async function unused() {}\nexport class Unused {}\n',
  });
  assert.equal(made, "(() => {\n'use strict';\nlet c = 1;\nasync function unused() {}\nclass Unused {}\nconst a = c + 1, B = 2;\n"
    + "if (a) {\nseen.push(a + B + 'x;[y]\\\\z');\n}\n})();\n");
  const seen = [];
  new Function('seen', made)(seen);
  assert.deepEqual(seen, ['4x;[y]\\z']);
});

test('what cannot be meant is refused, and the message says where', () => {
  assert.match(bundled({'main.js': "import {a} from './a.js';\n", 'a.js': "import './main.js';\n"}), /import each other: main\.js > a\.js > main\.js/);
  assert.match(bundled({'main.js': "import {a} from './a.js';\n"}), /no module main\.js > a\.js/);
  assert.match(bundled({'main.js': "import {a} from './a.js';\n", 'a.js': 'const a = 1;\n'}), /main\.js imports a, which a\.js does not export/);
  assert.match(bundled({'main.js': "import './a.js';\nfunction x() {}\n", 'a.js': 'const x = 1;\n'}), /a\.js and main\.js both declare x/);
  assert.match(bundled({'main.js': "import './a.js';\nconst A = 1, X = 2;\n", 'a.js': 'const X = 1;\n'}), /both declare X/);
});

test('forms that need a parser are refused', () => {
  for (const line of ["import {a as b} from './a.js';", "import a from './a.js';", "import * as a from './a.js';", 'export default 1;', 'export {x};', 'const {a} = {};'])
    assert.match(bundled({'main.js': `${line}\n`, 'a.js': 'export const a = 1;\n'}), /does not know what this means, in main\.js/, line);
});
