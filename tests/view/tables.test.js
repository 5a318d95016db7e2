// The overview and the table of events of the engine have the figures of `memviz stats` and `memviz trace`, of every snapshot or
// of those that the command line names: `node tables.test.js FILE...`.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {basename, dirname} from 'node:path';
import test from 'node:test';
import {askJson, askText, openFile, startEngine} from './engine.js';
import {everySnapshot, named} from './files.js';
import {deviceWord, native} from './native.js';

function nativeText(path, words) {
  const {text, error} = native(dirname(path), [words[0], basename(path), ...words.slice(1)]);
  assert.equal(error, undefined);
  return text;
}

// Events that do not add up to the blocks of the end: the page and the pictures of the program show what the blocks hold.
async function checkOverview(path, file) {
  const shown = await askJson({ask: 'overview', file});
  const stats = JSON.parse(nativeText(path, ['stats', '--json', '-']));
  assert.deepEqual(shown.warnings, stats.warnings, 'warnings');
  assert.deepEqual(shown.settings, stats.settings.map(({name, value}) => [name, value]), 'settings');
  const figuresOf = (device) => [device.device, device.events, device.peak_bytes, device.peak_state, device.end_bytes, device.reserved_bytes, device.baseline_bytes, device.marks.filter((mark) => mark.kind === 'oom').length];
  const nativeOf = (device) => [device.device === 'host' ? 0x10000 : device.device, device.events, device.peak_requested_bytes, device.peak_event + 1, device.end_requested_bytes - device.imbalance_bytes, device.reserved_bytes, device.baseline_bytes, device.ooms];
  assert.deepEqual(shown.devices.map(figuresOf), stats.devices.map(nativeOf), 'figures of devices');
  const explained = await askText({ask: 'text', of: 'explain', file});
  const picture = await askText({ask: 'picture', of: 'flame', file});
  const escaped = shown.headline.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  assert.ok(picture.includes(escaped) || explained.includes(shown.headline), `no picture is headed ${shown.headline}`);
  return shown.devices;
}

// An event as the page shows it, and as `memviz trace` writes it; times are those since the first event.
// The page shows a line of code as one line of plain text, cut where it is long.
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}]/u;
const isShown = (line) => line.length <= 100 && !UNSAFE.test(line);
const pageRow = ({event, action, address, bytes, stream, line}) => [event, action, action === 'oom' ? '' : String(BigInt(address)), bytes, stream, line];
const nativeRow = ({event, action, address = '0', size_bytes, stream, line}) => [event, action, action === 'oom' ? '' : address, size_bytes, stream, line || ''];

async function checkEvents(path, file, device) {
  const AT_ONCE = 1000;
  const wanted = nativeText(path, ['trace', '--format', 'ndjson', '--device', deviceWord(device.device)]).split('\n').filter(Boolean).map((line) => JSON.parse(line)).filter(({kind}) => kind === 'event');
  const rows = [];
  for (let all = 1; rows.length < all;) {
    const page = await askJson({ask: 'events', file, device: device.device, from: rows.length, count: AT_ONCE});
    rows.push(...page.rows);
    all = page.all;
  }
  const shown = rows.map(pageRow);
  const written = wanted.map(nativeRow);
  for (const [index, row] of written.entries()) {
    const line = row.at(-1);
    if (isShown(line)) continue;
    assert.ok(shown[index]?.at(-1) && !UNSAFE.test(shown[index].at(-1)), `the line of event ${index} is shown as plain text`);
    row[row.length - 1] = shown[index].at(-1);
  }
  assert.deepEqual(shown, written, `events of device ${device.device}`);
}

test('the overview and the events are those of the program', async () => {
  await startEngine();
  const wrong = [];
  for (const path of named.length > 0 ? named : everySnapshot()) {
    try {
      const file = await openFile(basename(path), readFileSync(path)).catch(() => null); // bytes_equal checks why not
      if (file === null) continue;
      for (const device of await checkOverview(path, file)) if (device.events > 0) await checkEvents(path, file, device);
    } catch (error) {
      wrong.push(`${path}: ${error.message.slice(0, 2000)}`);
    }
  }
  assert.equal(wrong.length, 0, wrong.join('\n'));
});
