// Starts the page: the engine, the files in the page or dropped on it, and its parts.
import {searchAgain, showFiles, startControls} from './controls.js';
import {startCurve} from './curve.js';
import {byId} from './elements.js';
import {askJson, carried, openBlob, startEngine} from './engine.js';
import {startInfo} from './info.js';
import {startLive} from './live.js';
import {files, readLink, showDevice} from './model.js';
import {startPictures} from './pictures.js';
import {startPinned} from './pinned.js';
import {startTables} from './tables.js';

const say = (words) => (byId('busy').textContent = words);

async function add(name, blob) {
  say(`opening ${name} …`);
  try {
    const file = await openBlob(name, blob);
    const overview = await askJson({ask: 'overview', file});
    files[file] = {name, overview};
    say('');
    return file;
  } catch (error) {
    say(`${name}: ${error.message}`);
    return null;
  }
}

function showFile(file, fragment) {
  document.body.classList.add('open');
  byId('cover').hidden = true;
  byId('app').hidden = false;
  showDevice(file, files[file].overview.device);
  if (fragment.length > 1) readLink(fragment);
  showFiles();
  searchAgain();
}

async function addAll(blobs, fragment) {
  let first = null;
  for (const {name, blob} of blobs) {
    const file = await add(name, blob);
    if (first === null) first = file;
  }
  if (first !== null) showFile(first, fragment);
}

function startDropping() {
  const take = (list) => addAll(Array.from(list, (file) => ({name: file.name, blob: file})), '');
  document.addEventListener('dragover', (event) => event.preventDefault());
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    take(event.dataTransfer.files);
  });
  byId('choose').addEventListener('change', (event) => take(event.target.files));
}

async function begin() {
  const fragment = location.hash;
  startCurve();
  startLive();
  startPinned();
  startPictures();
  startTables();
  startInfo();
  startControls();
  startDropping();
  window.addEventListener('hashchange', () => {
    readLink(location.hash);
    searchAgain();
  });
  window.addEventListener('unhandledrejection', ({reason}) => say(reason.message));
  try {
    await startEngine();
  } catch (error) {
    return say(`this browser cannot run the page: ${error.message}`);
  }
  const holders = Array.from(document.querySelectorAll('script.snapshot'), (holder) => ({name: holder.dataset.name, blob: carried(holder)}));
  await addAll(holders, fragment);
}

begin();
