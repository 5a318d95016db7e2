// The ranks of a job: a bar for each with what it holds, which of them stands out, and a click opens one. Of files that
// are not open the engine keeps only what `memviz ranks` needs of them.
import {snapshotsOf} from './archive.js';
import {byId, element} from './elements.js';
import {formatBytes} from '../../render/web/core/numbers.js';

const MOST_DIFFERENCES = 12;
const byName = (left, right) => (left.name < right.name ? -1 : Number(left.name > right.name));

// The members of a job, by the name of their part: where to read it again, and its number while it is open.
/** @type {() => {members: Map<string, {name: string, read: () => Promise<Blob>, rank: string, file: number | null}>, report: any}} */
const emptyJob = () => ({members: new Map(), report: null});

const signed = (bytes) => `${bytes < 0 ? '-' : '+'}${formatBytes(Math.abs(bytes))}`;
const shortName = (path) => path.split('/').at(-1);
const ownName = ({rank, file}) => (rank === null ? shortName(file) : `rank ${rank}`);
const folderOf = (path) => path.slice(0, Math.max(0, path.lastIndexOf('/')));
const isIn = (list, {file}) => list.some((one) => one.file === file);

// Returns a function of a rank that names it: with its folder where several have the same name.
function namesOfRanks({ranks}) {
  const counts = new Map();
  for (const one of ranks) counts.set(ownName(one), (counts.get(ownName(one)) || 0) + 1);
  return (one) => (counts.get(ownName(one)) > 1 && folderOf(one.file) ? `${folderOf(one.file)} ${ownName(one)}` : ownName(one));
}

function remarkOf(report, rank) {
  if (isIn(report.out_of_memory, rank)) return 'out of memory';
  return isIn(report.outliers, rank) ? 'stands out' : '';
}

function barOf(job, rank, most, {open, compare, nameOfRank}) {
  const remark = remarkOf(job.report, rank), name = nameOfRank(rank), held = formatBytes(rank.held_bytes), words = `${name}: ${held}${remark && `, ${remark}`}`;
  const bar = element('span', {class: 'bar', style: `--share:${most ? rank.held_bytes / most : 0}`});
  const open_ = element('button', {type: 'button', class: 'rank', title: `${rank.file}\npeak ${formatBytes(rank.peak_bytes)}, end ${formatBytes(rank.end_bytes)}`, 'aria-label': words}, element('span', {class: 'name'}, name), bar, element('span', {class: 'number'}, held), element('span', {class: 'remark'}, remark));
  const difference = element('button', {type: 'button', class: 'compare', title: 'the difference from this rank to the one that is open, each at its error or peak', 'aria-label': `difference from ${name}`}, 'difference');
  const member = job.members.get(rank.file);
  open_.disabled = difference.disabled = !member; // a part alone has no events
  open_.addEventListener('click', () => open(rank.file));
  difference.addEventListener('click', () => compare(rank));
  return element('li', {class: remark.replaceAll(' ', '-'), 'data-file': rank.file}, open_, difference);
}

function differenceRows({out_of_memory: failed, outliers, of_two: second}, nameOfRank) {
  const all = [...failed, ...outliers, ...second].flatMap((one) => one.lines.map((line) => ({...line, name: nameOfRank(one)})));
  return all.slice(0, MOST_DIFFERENCES).map(({name, line, kind, delta_bytes: delta}) => element('tr', {}, element('td', {}, name), element('td', {class: 'number'}, signed(delta)), element('td', {class: 'label'}, line || 'other lines'), element('td', {}, kind.replaceAll('_', ' '))));
}

function showReport(job, actions) {
  const {report} = job, most = Math.max(0, ...report.ranks.map((rank) => rank.held_bytes)), nameOfRank = namesOfRanks(report), rows = differenceRows(report, nameOfRank);
  byId('job').hidden = false;
  byId('job').open = true;
  byId('job-headline').textContent = report.headline;
  byId('job-ranks').replaceChildren(...report.ranks.map((rank) => barOf(job, rank, most, {...actions, nameOfRank})));
  byId('job-unread').replaceChildren(...report.unread_files.map(({file, error}) => element('li', {}, `${file}: ${error}`)));
  byId('job-lines').hidden = !rows.length;
  byId('job-rows').replaceChildren(...rows);
}

// Marks the rank that is shown.
function markShown(/** @type {Page} */ page, job) {
  for (const row of byId('job-ranks').children) {
    const member = job.members.get(row.dataset.file), isShown = Boolean(member) && member.file !== null && member.file === page.view.file;
    row.firstChild.setAttribute('aria-current', isShown);
  }
}

// Files with equal names get a number in front: those of two folders of one name, say.
function withOwnNames(found) {
  const counts = new Map();
  return found.map((one) => {
    const count = (counts.get(one.name) || 0) + 1;
    counts.set(one.name, count);
    return count > 1 ? {...one, name: `(${count}) ${one.name}`} : one;
  });
}

// Reads all files of a job, one after the other, into parts.
async function readJob(/** @type {Page} */ page, found, say) {
  const job = emptyJob();
  await page.beginJob();
  for (const [i, {name, read}] of found.entries()) {
    say(`reading ${i + 1} of ${found.length}: ${name}`);
    try {
      for (const part of await page.openAsPart(name, await read())) if (part.startsWith(name)) job.members.set(part, {name, read, rank: part.slice(name.length), file: null});
    } catch (error) {
      await page.askText({ask: 'unread', name, reason: error.message});
    }
  }
  job.report = await page.askJson({ask: 'ranks'});
  return job;
}

// The ranks of which a difference is shown where none is open, the first of them with a file that can be read: those that ran
// out of memory or stand out, then all others.
const notable = ({out_of_memory: failed, outliers, of_two: second, ranks}) => [...failed, ...outliers, ...second, ...ranks].map(({file}) => file);

// The arrow keys go from rank to rank.
function walkRanks(event) {
  const row = event.target.closest('li'), way = {ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling'}[event.key];
  if (!row || !way) return; // without a row it is the list itself that scrolls
  event.preventDefault();
  row[way]?.children[[...row.children].indexOf(event.target)].focus();
}

// `openOne({name, read, rank})` opens a file and returns its number, null if it cannot; `show(file, about)` shows it. Returns
// what takes files as a job, opens the ranks of a link, and shows the list of ranks.
export function startJob(/** @type {Page} */ page, {openOne, show, say}) {
  let job = emptyJob(), last = Promise.resolve(), wishes = 0;
  const opening = new Map();

  // A second click while it is opened waits for the same file.
  async function numberOf(name) {
    const member = job.members.get(name);
    if (member.file !== null && page.files[member.file]) return member.file;
    if (!opening.has(name)) opening.set(name, openOne(member).finally(() => opening.delete(name)));
    return (member.file = await opening.get(name));
  }

  // `about`: members of the view to change. A rank that opens slowly does not take the place of one that is wanted later.
  async function open(name, about = {}, wish = ++wishes) {
    const file = await numberOf(name);
    if (file === null || wish !== wishes) return;
    byId('job').open = false;
    show(file, about);
    markShown(page, job);
  }

  async function compare(rank) {
    const others = [...job.members.keys()].filter((name) => name !== rank.file);
    const isShown = (name) => job.members.get(name).file !== null && job.members.get(name).file === page.view.file;
    const after = others.find(isShown) || notable(job.report).find((name) => others.includes(name));
    if (!after) return say('there is no other rank to compare with');
    const wish = ++wishes, before = await numberOf(rank.file);
    if (before !== null) await open(after, {tab: 'difference', before}, wish);
  }

  async function openLinked(fragment) {
    ++wishes;
    const link = new URLSearchParams(fragment.slice(1));
    for (const name of ['file', 'before']) if (job.members.has(link.get(name))) await numberOf(link.get(name));
    return job.members.size > 0 && !link.has('file');
  }

  // Shows the list of ranks, with the keyboard's focus on the one that is open, or hides it.
  function toggleRanks() {
    const list = byId('job');
    list.open = !page.view.isShown || !list.open;
    if (list.open && !list.hidden) (list.querySelector('[aria-current=true]') || list.querySelector('.rank'))?.focus();
  }

  page.watch(['file'], () => markShown(page, job));
  async function take(found) {
    job = await readJob(page, [...found].sort(byName), say);
    say('');
    showReport(job, {open, compare});
    markShown(page, job);
    byId('cover').hidden = true;
  }
  byId('job-ranks').addEventListener('keydown', walkRanks);
  // The engine has one job: another one waits until this one is read.
  return {openLinked, toggleRanks, takeJob: (found) => (last = last.catch(() => {}).then(() => take(withOwnNames(found))))};
}

// All snapshots of the files, those of archives among them. An archive that is damaged is a file that cannot be read.
export async function snapshotsOfAll(list) {
  const found = list.map((file) => snapshotsOf(file).catch((error) => [{name: file.name, read: () => Promise.reject(error)}]));
  return (await Promise.all(found)).flat();
}
