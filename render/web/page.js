// Of pictures in which nothing but the width changes.
import './core/flows.js';
import {startSheet} from './core/sheet.js';

startSheet();
