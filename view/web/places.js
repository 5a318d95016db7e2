// The playhead of each device stays when another file or device is shown; on a device that was not shown yet it goes to
// the same time, unless it has been moved when the answer comes.
import {askJson} from './engine.js';
import {goTo, showDevice, view} from './model.js';

export function startPlaces() {
  const places = new Map();
  const keyOf = (file, device) => `${file} ${device}`;

  async function goToSameTime(before) {
    const {file, device, state: shown} = view;
    const {state} = await askJson({ask: 'same_time', file, device, of_file: before.file, of_device: before.device, state: before.state});
    if (state !== null && view.file === file && view.device === device && view.state === shown) goTo(state);
  }

  return function switchTo(file, device) {
    const {state, other, first, last, low, high, life} = view, before = {file: view.file, device: view.device, state};
    places.set(keyOf(view.file, view.device), {state, other, first, last, low, high, life});
    const known = places.get(keyOf(file, device));
    showDevice(file, device, known);
    if (!known && before.device !== null && view.device !== null) goToSameTime(before);
  };
}
