"""The extension of VS Code, from its .vsix, run by node with a stand-in for VS Code's module, and its page in a webview like VS Code's."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from xml.etree import ElementTree

from support import TESTDATA, expect, new_file
from view_support import ViewCase

SOURCE = TESTDATA.parent
MANIFEST = "{http://schemas.microsoft.com/developer/vsx-schema/2011}"

# As much of VS Code as the extension uses. It opens a file, closes the editor after some milliseconds where asked, and
# prints what became of it.
HOST = """
const [program, file, closeAfter, scheme] = process.argv.slice(2);
const shown = [];
class CancellationTokenSource {
  listeners = [];
  token = {isCancellationRequested: false, onCancellationRequested: (listener) => this.listeners.push(listener)};
  cancel() { this.token.isCancellationRequested = true; this.listeners.forEach((listener) => listener()); }
}
let close;
const panel = {webview: {set html(page) { shown.push(page); }}, onDidDispose: (listener) => { close = listener; }};
const registered = {};
require('node:module')._load = ((load) => (name, ...rest) => (name !== 'vscode' ? load(name, ...rest) : {
  CancellationTokenSource,
  window: {registerCustomEditorProvider: (type, provider, options) => { Object.assign(registered, {type, provider, options}); return {dispose() {}}; }},
  workspace: {getConfiguration: (section) => ({get: (name) => (`${section}.${name}` === 'memviz.path' ? program : undefined)})},
}))(require('node:module')._load);
(async () => {
  const context = {subscriptions: []};
  require('./extension/extension.js').activate(context);
  const document = await registered.provider.openCustomDocument({fsPath: file, path: file, scheme: scheme || 'file'});
  const resolved = registered.provider.resolveCustomEditor(document, panel, new CancellationTokenSource().token);
  if (closeAfter) setTimeout(() => close(), Number(closeAfter));
  await resolved;
  console.log(JSON.stringify({shown, type: registered.type, options: panel.webview.options, subscriptions: context.subscriptions.length}));
})();
"""

# VS Code parses the page, adds its own script and styles at the start, and writes the result into a frame.
WEBVIEW = """<!DOCTYPE html><meta charset='utf-8'><body style='margin:0'>
<iframe sandbox='allow-same-origin allow-pointer-lock allow-scripts allow-downloads allow-forms' style='border:0;width:100%;height:900px'></iframe><script>
const read = new DOMParser().parseFromString({page}, 'text/html');
const own = read.createElement('script');
own.textContent = 'globalThis.acquireVsCodeApi = () => ({{}}); delete window.parent; delete window.top; delete window.frameElement;';
read.head.prepend(own);
const frame = document.querySelector('iframe').contentDocument;
frame.open();
frame.write('<!DOCTYPE html>' + read.documentElement.outerHTML);
frame.close();
</script></body>"""


class VsCodeCase(ViewCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not shutil.which("node"):
            raise unittest.SkipTest("no node")
        folder = tempfile.TemporaryDirectory(prefix="memviz-vscode-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        packed = cls.folder / "memviz.vsix"
        subprocess.run([sys.executable, "-B", SOURCE / "packaging/vsix.py", packed, "1.2.3"], check=True)
        with zipfile.ZipFile(packed) as archive:
            archive.extractall(cls.folder)
        (cls.folder / "host.js").write_text(HOST)

    def opened(self, file, program=None, close_after="", scheme=""):
        words = ["node", "host.js", str(program or os.environ["MEMVIZ_BINARY"]), str(file), close_after, scheme]
        return json.loads(subprocess.run(words, cwd=self.folder, check=True, capture_output=True, text=True, timeout=60).stdout)

    def test_the_manifest_of_the_gallery_agrees_with_the_extension(self):
        package = json.loads((self.folder / "extension/package.json").read_text())
        root = ElementTree.parse(self.folder / "extension.vsixmanifest").getroot()
        identity = root.find(f"{MANIFEST}Metadata/{MANIFEST}Identity").attrib
        self.assertEqual((identity["Id"], identity["Version"], identity["Publisher"]), (package["name"], "1.2.3", package["publisher"]))
        self.assertEqual(package["version"], "1.2.3")
        paths = [asset.get("Path") for asset in root.iter(f"{MANIFEST}Asset")]
        self.assertEqual([path for path in [*paths, f"extension/{package['main']}"] if not (self.folder / path).is_file()], [])
        types = ElementTree.parse(self.folder / "[Content_Types].xml").getroot()
        endings = {default.get("Extension") for default in types}
        with zipfile.ZipFile(self.folder / "memviz.vsix") as archive:
            names = archive.namelist()
        self.assertEqual({pathlib.PurePath(name).suffix for name in names} - endings, {".xml"})
        self.assertEqual(package["contributes"]["customEditors"][0]["viewType"], self.opened(TESTDATA / "oom.pickle")["type"])
        # A folder that someone else has made must not choose which program runs.
        self.assertEqual(package["contributes"]["configuration"]["properties"]["memviz.path"]["scope"], "machine")

    def test_a_snapshot_is_the_page_of_view_under_its_own_policy(self):
        opened = self.opened(TESTDATA / "oom.pickle")
        self.assertEqual((len(opened["shown"]), opened["subscriptions"]), (2, 1))
        self.assertEqual(opened["options"], {"enableScripts": True, "localResourceRoots": []})
        page = new_file(".html")
        page.write_text(WEBVIEW.format(page=json.dumps(opened["shown"][1]).replace("<", "\\u003c")))
        frame = self.open(page).frame_locator("iframe")
        expect(frame.locator("#headline")).to_contain_text("ran out of memory")
        expect(frame.locator("#moment")).to_contain_text("After event")
        frame.locator("#tab-state").click()
        expect(frame.locator("#picture svg")).to_be_visible()
        self.complaints = [complaint for complaint in self.complaints if "can escape its sandboxing" not in complaint]  # of VS Code's own frame

    def test_what_goes_wrong_is_said_and_quotes_a_name_as_text(self):
        file = self.folder / "<b>no snapshot.pickle"
        file.write_text("a text")
        shown = self.opened(file)["shown"][-1]
        self.assertIn("&#60;b&#62;no snapshot.pickle: byte 0: expected a memory snapshot", shown)
        self.assertNotIn("<b>", shown)
        self.assertIn("default-src 'none'", shown)
        self.assertIn("pip install memviz-torch", self.opened(file, program=self.folder / "absent")["shown"][-1])

    def test_what_is_no_file_is_refused(self):
        shown = self.opened(TESTDATA / "oom.pickle", scheme="git")["shown"]
        self.assertEqual(len(shown), 1)
        self.assertIn("this is git:", shown[0])

    def test_closing_the_editor_ends_the_program(self):
        program = self.folder / "slow"
        program.write_text("#!/bin/sh\nexec sleep 600\n")
        program.chmod(0o755)
        self.assertEqual(len(self.opened(TESTDATA / "oom.pickle", program, "200")["shown"]), 1)
