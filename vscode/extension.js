// The editor of snapshots: a webview with the page of `memviz view`, which the program writes where the file is.
'use strict';
const {execFile} = require('node:child_process');
const vscode = require('vscode');

// The program refuses pages of more than 30 MB itself.
const MOST_BYTES = 1 << 28;

/** @param {string} text */
const escaped = (text) => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);

/**
 * A page of one sentence, which may quote a file's names.
 * @param {string} text
 */
const sentence = (text) => `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'">
<body><p style="white-space:pre-wrap">${escaped(text)}</p></body>`;

/**
 * Returns what went wrong in the program's own words, or that it is not there.
 * @param {string} program
 * @param {import('node:child_process').ExecFileException} error
 * @param {string} messages
 */
function reason(program, error, messages) {
  if (error.code === 'ENOENT') {
    return `The program ${program} is not there. Install it (pip install memviz-torch), or name it in the setting memviz.path.`;
  }
  return messages.trim() || `memviz: ${error.message}`;
}

/**
 * Runs `memviz view`, until it ends or `token` is cancelled. Returns the page, or one that says why there is none.
 * @param {string} program
 * @param {string} file
 * @param {{onCancellationRequested: (listener: () => void) => void}} token
 * @returns {Promise<string>}
 */
function pageOf(program, file, token) {
  return new Promise((resolve) => {
    const child = execFile(program, ['view', '-o', '-', '--', file], {maxBuffer: MOST_BYTES}, (error, page, messages) => {
      resolve(error ? sentence(reason(program, error, messages)) : page);
    });
    token.onCancellationRequested(() => child.kill());
  });
}

const editor = {
  openCustomDocument: (uri) => ({uri, dispose() {}}),

  // The page has a policy of its own: it allows its own scripts by their hashes, and nothing from elsewhere.
  async resolveCustomEditor({uri}, panel, token) {
    panel.webview.options = {enableScripts: true, localResourceRoots: []};
    // A side of a comparison, say: the file on the disk would be another one.
    if (uri.scheme !== 'file') {
      panel.webview.html = sentence(`memviz opens files, and this is ${uri.scheme}:${uri.path}.`);
      return;
    }
    panel.webview.html = sentence('memviz reads the snapshot …');
    const closed = new vscode.CancellationTokenSource();
    token.onCancellationRequested(() => closed.cancel());
    panel.onDidDispose(() => closed.cancel());
    const program = vscode.workspace.getConfiguration('memviz').get('path') || 'memviz';
    const page = await pageOf(program, uri.fsPath, closed.token);
    if (!closed.token.isCancellationRequested) panel.webview.html = page;
  },
};

exports.activate = (context) => {
  const options = {supportsMultipleEditorsPerDocument: true, webviewOptions: {retainContextWhenHidden: true, enableFindWidget: false}};
  context.subscriptions.push(vscode.window.registerCustomEditorProvider('memviz.snapshot', editor, options));
};
