// The script of pictures in which only the width changes.
import './core/flows.js';
import {startSheet} from './core/sheet.js';

startSheet();
