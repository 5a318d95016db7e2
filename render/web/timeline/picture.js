// The charts of the file, and what is pinned or searched for in them. The controls act on the first chart.
import {text} from '../core/attributes.js';
import {svg} from '../core/dom.js';
import {chosenWords, isChosen, mostTogether} from './chosen.js';
import {readPanel, readStacks} from './model.js';

const wordsOf = (selector) => (svg.querySelector(selector) || {textContent: ''}).textContent;
const names = svg.querySelector('#frame-names');
const stacks = readStacks(wordsOf('#stacks'), wordsOf('#frame-names'), names ? text(names, 'origins') : '');
const keepers = wordsOf('#keepers').split('\n\n');
export const panels = [...svg.querySelectorAll('.chart')].map((element) => readPanel(element, stacks, keepers));
export const main = panels[0];
export const chosen = {band: null, panel: null, query: ''};

// Shows what is chosen; returns the text about it.
export function highlight() {
  const isActive = chosen.query !== '' || chosen.band !== null;
  const counts = {band: 0, strip: 0};
  let most = {bytes: 0};
  for (const panel of panels) {
    panel.element.classList.toggle('dimmed', isActive);
    const isMatch = (part) => isActive && isChosen(part, chosen);
    const bands = panel.bands.filter(isMatch), strips = panel.strips.filter(isMatch), matches = new Set([...bands, ...strips]);
    for (const part of [...panel.bands, ...panel.strips]) part.element.classList.toggle('match', matches.has(part));
    counts.band += bands.length;
    counts.strip += strips.length;
    const together = mostTogether(panel, bands, strips);
    if (together.bytes > most.bytes) most = together;
  }
  return isActive ? chosenWords(chosen, counts, most) : '';
}
