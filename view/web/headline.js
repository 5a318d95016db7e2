// The headline of the chosen device at the playhead, once that rests.
import {byId} from './elements.js';
import {askJson, latestOnly} from './engine.js';
import {hasDevice, lastError, momentOf, overviewOf, view, watch, whereNow} from './model.js';
import {isPictureTab} from './pictures.js';

// The playhead must rest this long, and as long as the last headline took: its next step waits for one that is made. With
// a picture, which takes as long, they share the work.
const HEADLINE_REST_MS = 200, MOST_HEADLINE_REST_MS = 1000;
const restOf = (makingMs) => Math.max(HEADLINE_REST_MS, isPictureTab(view.tab) ? Math.min(MOST_HEADLINE_REST_MS, makingMs) : 3 * makingMs);

const show = ({headline, answer}) => {
  byId('headline').textContent = headline;
  byId('headline').title = answer;
};

// The last error or the peak, of which the file's own headline is; of several devices it is that of one.
function isFilesMoment() {
  const {devices} = overviewOf(view.file);
  return devices.length === 1 && view.state === (lastError(devices[0]) || {state: devices[0].peak_state}).state;
}

export function startHeadline() {
  let rest = 0, makingMs = 0;
  const load = latestOnly(async () => {
    if (!hasDevice()) return;
    const began = performance.now(), {file, device, state} = view;
    const made = await askJson({ask: 'headline', ...whereNow(), at: momentOf(state)});
    makingMs = performance.now() - began;
    if (view.file === file && view.device === device && view.state === state) show(made);
  });
  watch(['file', 'device', 'state'], (changed) => {
    clearTimeout(rest);
    if (!hasDevice() || isFilesMoment()) return show(overviewOf(view.file));
    rest = setTimeout(() => load({}), changed.includes('file') || changed.includes('device') ? 0 : restOf(makingMs));
  });
}
