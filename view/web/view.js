// Starts the page: the engine, the files in the page or dropped on it, and its parts.
import {carriedBlob} from './carried.js';
import {startControls} from './controls.js';
import {startCurve} from './curve.js';
import {chosenFiles, droppedFiles} from './dropped.js';
import {byId} from './elements.js';
import {FileClosed} from './engine.js';
import {startEventCard} from './event_card.js';
import {startEventsList} from './events_list.js';
import {startFiles} from './files.js';
import {startHeadline} from './headline.js';
import {startHistory} from './history.js';
import {startInfo} from './info.js';
import {snapshotsOfAll, startJob} from './job.js';
import {startLit} from './lit.js';
import {startLive} from './live.js';
import {deviceNow, hasDevice, lastError, readLink, showDevice} from './model.js';
import {makePage} from './page.js';
import {startPictures} from './pictures.js';
import {startPinned} from './pinned.js';
import {startPlaces} from './places.js';
import {startRange} from './range.js';
import {searchAgain, startSearch} from './search.js';
import {startTables} from './tables.js';

const say = (words) => (byId('busy').textContent = words);

// Opens a file, of several snapshots in it `rank`, and returns its number or what is wrong with it.
async function add(/** @type {Page} */ page, {name, read, rank = ''}, isRank = false) {
  say(`opening ${name}${rank} …`);
  try {
    const file = await page.openBlob(name, await read(), rank);
    page.files[file] = {name: name + rank, isRank, overview: await page.askJson({ask: 'overview', file})};
    return {file};
  } catch (error) {
    return {problem: `${name}: ${error.message}`};
  }
}

// By the words of SeveralSnapshots.
const holdsSeveral = (one) => / holds \d+ snapshots /.test(one.problem || '');

// The open file, or of a job the ranks alone.
function showApp(isShown) {
  document.body.classList.toggle('open', isShown);
  byId('cover').hidden = true;
  byId('app').hidden = !isShown;
  byId('job').open = !isShown;
}

// After an error the page begins with why. `change`: members of the view that change with the file.
function showFile(/** @type {Page} */ page, file, {fragment = '', change = {}, showFiles}) {
  const isFirst = page.view.file === null;
  showDevice(page, file, page.files[file].overview.device);
  if (isFirst && hasDevice(page) && lastError(deviceNow(page))) page.change({tab: 'why'});
  page.change(change);
  if (fragment.length > 1) readLink(page, fragment);
  showFiles();
  searchAgain(page);
}

async function addAll(/** @type {Page} */ page, found, about) {
  if (!found.length) return;
  const added = [];
  for (const one of found) added.push(await add(page, one));
  const several = found.filter((one, i) => holdsSeveral(added[i]));
  say(added.filter((one) => one.problem && !holdsSeveral(one)).map(({problem}) => problem).join('\n'));
  const first = added.find(({problem}) => !problem);
  if (first) showFile(page, first.file, about);
  if (several.length) await about.takeJob(several);
}

// A folder is a job, and so is an archive of several snapshots; other files are opened one by one.
async function openDropped(/** @type {Page} */ page, {isFolder, files: dropped}, about) {
  const found = await snapshotsOfAll(dropped);
  if (!found.length) return say('nothing to open: no file has the name of a snapshot (.pickle, .pkl, .pt, .json, .ndjson, .zip, .tar)');
  return isFolder || found.length > dropped.length ? about.takeJob(found) : addAll(page, found, about);
}

function startDropping(/** @type {Page} */ page, about) {
  const open = (taken) => Promise.resolve(taken).then((chosen) => openDropped(page, chosen, about)).catch(({message}) => say(message));
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
    open(droppedFiles(event.dataTransfer));
  });
  for (const id of ['choose', 'choose-folder']) byId(id).addEventListener('change', ({target}) => open(chosenFiles(target.files)));
  if (byId('try')) byId('try').addEventListener('click', () => open({isFolder: false, files: [{name: 'sample.pickle', blob: carriedBlob(byId('sample'))}]}));
}

async function begin(/** @type {Page} */ page) {
  page.watch(['isShown'], () => showApp(page.view.isShown)); // first, because others measure what is shown
  const curve = startCurve(page);
  startLit(page);
  startLive(page);
  startPinned(page);
  const {savePicture, pictureNow} = startPictures(page);
  startTables(page);
  startEventCard(page);
  startHeadline(page);
  startRange(page);
  startSearch(page);
  startInfo(page);
  const switchTo = startPlaces(page), showFiles = startFiles(page, switchTo);
  const show = (file, change) => showFile(page, file, {change, showFiles});
  const {takeJob, openLinked, toggleRanks} = startJob(page, {show, say, openOne: async (one) => {
    const {file, problem} = await add(page, one, true);
    say(problem || '');
    if (page.view.file !== null) page.renew('before'); // it is listed also if another one is shown meanwhile
    showFiles();
    return problem ? null : file;
  }});
  startControls(page, {curve, stepFiltered: startEventsList(page), savePicture, pictureNow, switchTo, toggleRanks});
  const followLink = startHistory(page, {openLinked, onReturn: () => searchAgain(page)});
  startDropping(page, {showFiles, takeJob});
  window.addEventListener('unhandledrejection', (event) => (event.reason instanceof FileClosed ? event.preventDefault() : say(event.reason.message)));
  try {
    await page.started;
  } catch (error) {
    return say(`this browser cannot run the page: ${error.message}`);
  }
  const holders = Array.from(document.querySelectorAll('script.snapshot'), (/** @type {HTMLElement} */ holder) => ({name: holder.dataset.name, isOfJob: 'job' in holder.dataset, read: async () => carriedBlob(holder)}));
  if (holders.some(({isOfJob}) => isOfJob)) return takeJob(holders).then(followLink);
  await addAll(page, holders, {fragment: location.hash, showFiles, takeJob});
}

begin(makePage());
