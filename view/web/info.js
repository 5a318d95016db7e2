// The tab Info: facts, figures of the devices, settings, warnings.
import {byId, element} from './elements.js';
import {overviewOf} from './model.js';
import {countOf, exactBytes} from '../../render/web/core/numbers.js';

const pairs = (rows) => element('table', {class: 'pairs'}, ...rows.map(([name, value]) => element('tr', {}, element('th', {scope: 'row'}, name), element('td', {}, value))));

function showInfo(/** @type {Page} */ page) {
  if (page.view.tab !== 'info') return;
  const overview = overviewOf(page, page.view.file);
  byId('info').replaceChildren(
    element('h3', {}, overview.file), element('p', {}, overview.headline), element('p', {}, overview.answer),
    ...(overview.warnings.length ? [element('h3', {}, 'Warnings'), element('ul', {}, ...overview.warnings.map((words) => element('li', {}, words)))] : []),
    pairs([['written by', overview.generation], ['encoding', overview.encoding], ['size', exactBytes(overview.bytes)], ['facts', overview.facts.join(' · ')]]),
    ...overview.devices.flatMap((device) => [
      element('h3', {}, device.name),
      pairs([
        ['events', countOf(device.events, 'event')], ['allocations', countOf(device.lives, 'allocation')],
        ['requested at the peak', exactBytes(device.peak_bytes)], ['requested at the end', exactBytes(device.end_bytes)],
        ['reserved at the end', exactBytes(device.reserved_bytes)], ['lived before the recording', exactBytes(device.baseline_bytes)],
      ]),
    ]),
    ...(overview.settings.length ? [element('h3', {}, 'Allocator settings'), pairs(overview.settings)] : []));
}

export const startInfo = (/** @type {Page} */ page) => page.watch(['file', 'tab'], () => showInfo(page));
