// The playhead of each device stays when another file or device is shown; on a device that was not shown yet it goes to
// the same time, unless it has been moved when the answer comes.
import {goTo, showDevice} from './model.js';

export function startPlaces(/** @type {Page} */ page) {
  const places = new Map();
  const keyOf = (file, device) => `${file} ${device}`;

  async function goToSameTime(before) {
    const {file, device, state: shown} = page.view;
    const {state} = await page.askJson({ask: 'same_time', file, device, of_file: before.file, of_device: before.device, state: before.state});
    if (state !== null && page.view.file === file && page.view.device === device && page.view.state === shown) goTo(page, state);
  }

  return function switchTo(file, device) {
    const {state, other, first, last, low, high, life} = page.view, before = {file: page.view.file, device: page.view.device, state};
    places.set(keyOf(page.view.file, page.view.device), {state, other, first, last, low, high, life});
    const known = places.get(keyOf(file, device));
    showDevice(page, file, device, known);
    if (!known && before.device !== null && page.view.device !== null) goToSameTime(before);
  };
}
