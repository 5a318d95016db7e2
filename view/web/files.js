// The open files as buttons, each with one that closes it.
import {byId, element} from './elements.js';
import {deviceNow, hasDevice, openFiles} from './model.js';

// A page with snapshots, or with a job, keeps one of them open; one to drop files on begins anew.
const isDropPage = () => byId('drop') !== null && byId('job').hidden;

function beginAnew() {
  history.replaceState(null, '', location.pathname);
  location.reload();
}

// `switchTo(file, device)` shows another one.
export function startFiles(/** @type {Page} */ page, switchTo) {
  const holder = byId('files');

  async function close(number) {
    if (!page.files[number]) return; // closed a moment ago
    const left = openFiles(page).filter((file) => file.number !== number);
    if (!left.length) return isDropPage() && beginAnew();
    const next = left.find((file) => file.number > number) || left.at(-1);
    if (page.view.file === number) switchTo(next.number, next.overview.device);
    if (page.view.before === number) page.change({before: null});
    page.files[number] = null; // only now: the entry of the history that is left names it
    page.renew('before');
    showFiles();
    holder.querySelector('[aria-pressed=true]').focus();
    await page.close(number);
  }

  function fileButtons({number, name, overview}, isClosable) {
    const button = element('button', {type: 'button', 'aria-pressed': number === page.view.file, title: overview.headline}, name);
    button.addEventListener('click', () => switchTo(number, overview.device));
    button.addEventListener('keydown', ({key, repeat}) => key === 'Delete' && !repeat && isClosable && close(number));
    if (!isClosable) return [button];
    const closing = element('button', {type: 'button', class: 'close', title: 'close (Delete)', 'aria-label': `close ${name}`}, '×');
    closing.addEventListener('click', () => close(number));
    return [button, closing];
  }

  function showFiles() {
    if (page.view.file === null) return;
    const all = openFiles(page), isClosable = all.length > 1 || isDropPage();
    holder.replaceChildren(...all.map((file) => element('span', {class: 'file'}, ...fileButtons(file, isClosable))));
    document.body.classList.toggle('no-device', !hasDevice(page));
    document.body.classList.toggle('no-events', hasDevice(page) && !deviceNow(page).events);
  }

  page.watch(['file', 'device'], showFiles);
  return showFiles;
}
