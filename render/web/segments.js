// Starts a flame graph with its segments below it.
import './state/companion.js';
import './flame.js';
