// JupyterLab's viewer of snapshots: a frame with the page that memviz_torch.jupyter_server makes. This file is what
// JupyterLab's builder would make of an extension, a container of webpack's module federation, which needs no bundler.
(() => {
'use strict';

let shared = {};

// Returns the copy of a package that JupyterLab itself uses.
async function load(name) {
  const versions = Object.values(shared[name] || {});
  const version = versions.find(({loaded}) => loaded) || versions[0];
  if (!version) throw new Error(`memviz: this JupyterLab has no ${name}`);
  return (await version.get())();
}

// The endings by which memviz finds snapshots in folders, without JSON, of which there is more than snapshots.
const ENDINGS = ['.pickle', '.pkl'].flatMap((ending) => [ending, ...['.gz', '.zst', '.xz', '.bz2'].map((packed) => ending + packed)]);

async function plugin() {
  const [{ILayoutRestorer}, {WidgetTracker}, {ABCWidgetFactory, Base64ModelFactory, DocumentWidget}, {IFrame}] =
    await Promise.all(['application', 'apputils', 'docregistry', 'ui-components'].map((name) => load(`@jupyterlab/${name}`)));

  // Without a format, JupyterLab does not load the file into the browser.
  class ModelFactory extends Base64ModelFactory {
    get name() { return 'memviz'; }
    get fileFormat() { return null; }
  }

  class Factory extends ABCWidgetFactory {
    constructor(baseUrl, options) {
      super(options);
      this.baseUrl = baseUrl;
    }

    createNewWidget(context) {
      // The server takes only requests that come from its own pages.
      const content = new IFrame({sandbox: ['allow-scripts', 'allow-downloads'], referrerPolicy: 'same-origin'});
      // A tab that is not shown waits with its request; and "copy link" writes into the clipboard.
      Object.assign(content.node.querySelector('iframe'), {loading: 'lazy', allow: 'clipboard-write'});
      const show = () => {
        content.url = `${this.baseUrl}memviz/view/${context.localPath.split('/').map(encodeURIComponent).join('/')}`;
      };
      // It shows files and changes none: no copy among the checkpoints, and nothing to save.
      context.createCheckpoint = async () => ({id: '', last_modified: ''});
      context.save = async () => {};
      context.ready.then(() => {
        show();
        context.fileChanged.connect(show);
      });
      return new DocumentWidget({content, context});
    }
  }

  function activate(app, restorer) {
    const tracker = new WidgetTracker({namespace: 'memviz'});
    if (restorer) {
      const args = ({context}) => ({path: context.path, factory: 'memviz'});
      restorer.restore(tracker, {command: 'docmanager:open', args, name: ({context}) => context.path});
    }
    app.docRegistry.addFileType({
      name: 'memviz', displayName: 'GPU memory snapshot', extensions: ENDINGS, contentType: 'file', fileFormat: 'base64',
    });
    app.docRegistry.addModelFactory(new ModelFactory());
    const factory = new Factory(app.serviceManager.serverSettings.baseUrl, {
      name: 'memviz', modelName: 'memviz', fileTypes: ['memviz'], defaultFor: ['memviz'], readOnly: true,
    });
    factory.widgetCreated.connect((_, widget) => {
      widget.context.pathChanged.connect(() => tracker.save(widget));
      tracker.add(widget);
    });
    app.docRegistry.addWidgetFactory(factory);
  }

  return {id: 'memviz-torch:viewer', description: 'Opens memory snapshots in memviz.', autoStart: true, optional: [ILayoutRestorer], activate};
}

globalThis._JUPYTERLAB = globalThis._JUPYTERLAB || {};
globalThis._JUPYTERLAB['memviz-torch'] = {
  init(scope) { shared = scope; },
  async get() {
    const module = {__esModule: true, default: await plugin()};
    return () => module;
  },
};
})();
