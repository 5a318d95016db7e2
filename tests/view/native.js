// Answers of the program for a file of a folder, where it is called by its name alone.
import {spawnSync} from 'node:child_process';

const {MEMVIZ} = process.env;

// Standard output, or what keeps the program from an answer.
export function native(folder, args) {
  const run = spawnSync(MEMVIZ, args, {cwd: folder, maxBuffer: 1 << 30});
  if (run.error) throw run.error;
  return run.status === 0 ? {text: run.stdout.toString()} : {error: run.stderr.toString()};
}

// The bytes of a snapshot as its page carries them: gzip of its columns.
export function carriedBytes(folder, name) {
  const {text, error} = native(folder, ['view', name, '-q', '-o', '-']);
  if (error) throw new Error(error);
  return Buffer.from(text.match(/class="snapshot"[^>]*>([^<]*)</)[1], 'base64');
}
