// Runs the unit tests that `cmake --build build-page --target engine_tests` compiled to WebAssembly, all but the one that
// takes threads: node unit_tests.js FILE.wasm [OPTION OF DOCTEST...].
import {existsSync, readFileSync} from 'node:fs';
import {WASI} from 'node:wasi';

const [file, ...options] = process.argv.slice(2);
if (!existsSync(file)) {
  console.log(`skipped: there is no ${file}, which \`cmake --build build-page --target engine_tests\` builds`);
  process.exit(77);
}
const args = ['engine_tests', '--test-case-exclude=runs found ahead are*', ...options];
const wasi = new WASI({version: 'preview1', args, returnOnExit: true});
const {instance} = await WebAssembly.instantiate(readFileSync(file), wasi.getImportObject());
process.exitCode = wasi.start(instance);
