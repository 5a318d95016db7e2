// The parts of the page share an engine and a state, made once here and passed to them as `page`: see Page in types.js.
import {makeEngine} from './engine.js';
import {makeLight} from './lit.js';
import {makeModel} from './model.js';
import {makeFigures} from './pictures.js';
import {makeFind} from './search.js';

/** @returns {Page} */
export function makePage() {
  /** @type {any} */
  const page = {...makeEngine(), ...makeModel()};
  return Object.assign(page, {light: makeLight(page), find: makeFind(page), figures: makeFigures(page)});
}
