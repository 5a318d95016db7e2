// The types of the page's state and of the engine's answers, for `tsc`: see tsconfig.json and answers.hpp.

/**
 * A device of a file, with the states between its events.
 * @typedef {{
 *   device: number, name: string, events: number, lives: number, has_times: boolean, has_keepers: boolean,
 *   peak_bytes: number, peak_state: number, end_bytes: number, reserved_bytes: number, baseline_bytes: number,
 *   reserved_known_from: number, most_reserved_bytes: number,
 *   marks: {kind: 'oom' | 'snapshot', state: number, bytes: number, free_bytes: number}[],
 *   annotations: {name: string, row: number, first: number, last: number}[],
 * }} Device
 */

/**
 * The answer of `overview`.
 * @typedef {{
 *   file: string, headline: string, answer: string, device: number, facts: string[], generation: string, encoding: string,
 *   bytes: number, warnings: string[], settings: [string, string][], devices: Device[],
 * }} Overview
 */

/**
 * A frame of a stack, innermost first.
 * @typedef {{name: string, place: string, file: string, own: boolean, is_in_graphs: boolean}} Frame
 */

/**
 * The answer of `life` and `cell`.
 * @typedef {{
 *   life: number, name: string, bytes: number, line: string, kind: string, evidence: string, keeper?: string,
 *   first: number, last: number, is_freed: boolean, first_us?: number, last_us?: number, stream?: string, pool?: string,
 *   texts: string[], stack: Frame[],
 *   others: {life: number, name: string, bytes: number, first: number, last: number, is_freed: boolean}[],
 * }} Life
 */

/**
 * Allocations that are lit, see lit.js.
 * @typedef {{key?: string, has: (index: number) => boolean, words: Set<string>, life: Life | null, isFromPicture?: boolean, paint?: string}} Lit
 */

/**
 * A class of allocations with its colours, and their name in pictures.
 * @typedef {{label: string, light: string, dark: string, paint: string}} ColourClass
 */

/**
 * The state of the view, see model.js.
 * @typedef {{
 *   file: number | null, device: number | null, state: number, other: number | null, before: number | null,
 *   first: number, last: number, low: number | null, high: number | null,
 *   by: string, axis: string, tab: string, lives: string, life: number | null, search: string, isShown: boolean,
 *   classes: ColourClass[], lit: Lit | null, pinned: Lit | null,
 * }} View
 */

/**
 * What the page calls of the picture that it shows, see link.js of the pictures.
 * @typedef {{light: (lit: object | null) => void, search: (words: string) => void, resize: () => void, copyStack: () => void, keys: [string, string][], letGo: () => boolean, goBack: () => void}} Picture
 */

/**
 * A part of the curve with its bands, see curve_data.js.
 * @typedef {{
 *   file: number, device: number, by: string, axis: string, first: number, last: number, columns: number, width: number,
 *   values: Float64Array, us: number[] | null, low: number, most: number, bands: Bands,
 *   box: {low: number | null, high: number | null},
 * }} Banded
 */

/**
 * Pixels of bands, by column from the bottom, see bands.js.
 * @typedef {{columns: number, rows: number, lives: Uint32Array, values: Uint8Array}} Bands
 */

/**
 * What the parts of the page share, see page.js: the engine, once it has `started`, with what opens files and answers requests; the open
 * files by the engine's number, null for closed ones; the view, what changes it, and what is called before and after changes;
 * `renew` calls what depends on values that have not changed but have another effect. `light` lights what `find` finds, `find`
 * searches, `figures` has the JSON of each tab.
 * @typedef {{
 *   started: Promise<unknown>, openBlob: (name: string, blob: Blob, rank?: string) => Promise<number>,
 *   beginJob: () => Promise<unknown>, openAsPart: (name: string, blob: Blob) => Promise<string[]>,
 *   askText: (request: object) => Promise<string>, askJson: (request: object) => Promise<any>,
 *   askBytes: (request: object) => Promise<ArrayBuffer>, close: (file: number) => Promise<unknown>,
 *   files: ({name: string, overview: Overview, isRank: boolean} | null)[], view: View,
 *   change: (wanted: Partial<View>, way?: {isJump?: boolean}) => void,
 *   watch: (names: (keyof View)[], react: (changed: string[]) => unknown) => unknown, renew: (...names: (keyof View)[]) => void,
 *   beforeVisits: (react: () => void) => unknown, afterChanges: (react: () => void) => unknown,
 *   light: (wanted: {key: string | null, find: ((where: {file: number | null, device?: number}) => Promise<Lit | null>) | null}) => Promise<void>,
 *   find: (words: string) => Promise<void>, figures: Record<string, () => Promise<string>>,
 * }} Page
 */

export {};
