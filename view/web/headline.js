// The headline of the chosen device at the playhead, once that rests.
import {byId} from './elements.js';
import {latestOnly} from './engine.js';
import {hasDevice, lastError, momentOf, overviewOf, whereNow} from './model.js';
import {isPictureTab} from './pictures.js';

// The playhead must rest this long, and as long as the last headline took: its next step waits for one that is made. With
// a picture, which takes as long, they share the work.
const HEADLINE_REST_MS = 200, MOST_HEADLINE_REST_MS = 1000;
const restOf = (/** @type {Page} */ page, makingMs) => Math.max(HEADLINE_REST_MS, isPictureTab(page.view.tab) ? Math.min(MOST_HEADLINE_REST_MS, makingMs) : 3 * makingMs);

const show = ({headline, answer}) => {
  byId('headline').textContent = headline;
  byId('headline').title = answer;
};

// The last error or the peak, of which the file's own headline is; of several devices it is that of one.
function isFilesMoment(/** @type {Page} */ page) {
  const {devices} = overviewOf(page, page.view.file);
  return devices.length === 1 && page.view.state === (lastError(devices[0]) || {state: devices[0].peak_state}).state;
}

export function startHeadline(/** @type {Page} */ page) {
  let rest = 0, makingMs = 0;
  const load = latestOnly(async () => {
    if (!hasDevice(page)) return;
    const began = performance.now(), {file, device, state} = page.view;
    const made = await page.askJson({ask: 'headline', ...whereNow(page), at: momentOf(page, state)});
    makingMs = performance.now() - began;
    if (page.view.file === file && page.view.device === device && page.view.state === state) show(made);
  });
  page.watch(['file', 'device', 'state'], (changed) => {
    clearTimeout(rest);
    if (!hasDevice(page) || isFilesMoment(page)) return show(overviewOf(page, page.view.file));
    rest = setTimeout(() => load({}), changed.includes('file') || changed.includes('device') ? 0 : restOf(page, makingMs));
  });
}
