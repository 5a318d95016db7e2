// Starts the page: the engine, the files in the page or dropped on it, and its parts.
import {startControls} from './controls.js';
import {startCurve} from './curve.js';
import {byId} from './elements.js';
import {askJson, carried, openBlob, startEngine} from './engine.js';
import {startEventCard} from './event_card.js';
import {startEventsList} from './events_list.js';
import {startFiles} from './files.js';
import {startHeadline} from './headline.js';
import {startHistory} from './history.js';
import {startInfo} from './info.js';
import {startLit} from './lit.js';
import {startLive} from './live.js';
import {change, deviceNow, files, hasDevice, lastError, readLink, showDevice} from './model.js';
import {startPictures} from './pictures.js';
import {startPinned} from './pinned.js';
import {startPlaces} from './places.js';
import {startRange} from './range.js';
import {searchAgain, startSearch} from './search.js';
import {startTables} from './tables.js';

const say = (words) => (byId('busy').textContent = words);

// Opens a file, and returns its number or what is wrong with it.
async function add(name, blob) {
  say(`opening ${name} …`);
  try {
    const file = await openBlob(name, blob);
    files[file] = {name, overview: await askJson({ask: 'overview', file})};
    return {file};
  } catch (error) {
    return {problem: `${name}: ${error.message}`};
  }
}

// After an error the page begins with why.
function showFile(file, {fragment, showFiles}) {
  const isFirst = !document.body.classList.contains('open');
  document.body.classList.add('open');
  byId('cover').hidden = true;
  byId('app').hidden = false;
  showDevice(file, files[file].overview.device);
  if (isFirst && hasDevice() && lastError(deviceNow())) change({tab: 'why'});
  if (fragment.length > 1) readLink(fragment);
  showFiles();
  searchAgain();
}

async function addAll(blobs, about) {
  const added = [];
  for (const {name, blob} of blobs) added.push(await add(name, blob));
  say(added.filter(({problem}) => problem).map(({problem}) => problem).join('\n'));
  const first = added.find(({problem}) => !problem);
  if (first) showFile(first.file, about);
}

function startDropping(showFiles) {
  const open = (blobs) => addAll(blobs, {fragment: '', showFiles});
  const take = (list) => open(Array.from(list, (file) => ({name: file.name, blob: file})));
  let depth = 0; // a drag enters and leaves each element on its way
  const showDrag = (change) => {
    depth = change ? Math.max(0, depth + change) : 0;
    document.body.classList.toggle('dragging', depth > 0);
  };
  document.addEventListener('dragenter', () => showDrag(1));
  document.addEventListener('dragleave', () => showDrag(-1));
  document.addEventListener('dragover', (event) => event.preventDefault());
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    showDrag(0);
    take(event.dataTransfer.files);
  });
  byId('choose').addEventListener('change', (event) => take(event.target.files));
  if (byId('try')) byId('try').addEventListener('click', () => open([{name: 'sample.pickle', blob: carried(byId('sample'))}]));
}

async function begin() {
  const fragment = location.hash;
  const curve = startCurve();
  startLit();
  startLive();
  startPinned();
  const {savePicture, pictureNow} = startPictures();
  startTables();
  startEventsList();
  startEventCard();
  startHeadline();
  startRange();
  startSearch();
  startInfo();
  const switchTo = startPlaces(), showFiles = startFiles(switchTo);
  startControls({curve, savePicture, pictureNow, switchTo});
  startHistory(searchAgain);
  startDropping(showFiles);
  window.addEventListener('unhandledrejection', ({reason}) => say(reason.message));
  try {
    await startEngine();
  } catch (error) {
    return say(`this browser cannot run the page: ${error.message}`);
  }
  const holders = Array.from(document.querySelectorAll('script.snapshot'), (/** @type {HTMLElement} */ holder) => ({name: holder.dataset.name, blob: carried(holder)}));
  await addAll(holders, {fragment, showFiles});
}

begin();
