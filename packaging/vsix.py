#!/usr/bin/env python3
"""Packs the extension of VS Code, vscode/: vsix.py OUT.vsix VERSION

A .vsix is a zip with the extension's files, its manifest for the gallery, which repeats what package.json says, and the
types of its files. An equal extension makes an equal file.
"""

import json
import pathlib
import sys
import zipfile
from xml.sax.saxutils import escape, quoteattr

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILES = {"extension.js": ROOT / "vscode/extension.js", "README.md": ROOT / "vscode/README.md", "LICENSE.txt": ROOT / "LICENSE"}
TYPES = {"js": "application/javascript", "json": "application/json", "md": "text/markdown", "txt": "text/plain", "vsixmanifest": "text/xml"}
ASSETS = {"Code.Manifest": "package.json", "Services.Content.Details": "README.md", "Services.Content.License": "LICENSE.txt"}
PROPERTIES = {"Code.Engine": lambda package: package["engines"]["vscode"], "Code.ExtensionKind": lambda package: ",".join(package["extensionKind"]),
              "Services.GitHubFlavoredMarkdown": lambda package: "true"}
XML = '<?xml version="1.0" encoding="utf-8"?>\n'


def manifest(package):
    name, version, publisher = (quoteattr(package[key]) for key in ("name", "version", "publisher"))
    properties = "".join(f'<Property Id="Microsoft.VisualStudio.{key}" Value={quoteattr(value(package))}/>' for key, value in PROPERTIES.items())
    assets = "".join(f'<Asset Type="Microsoft.VisualStudio.{kind}" Path="extension/{file}" Addressable="true"/>' for kind, file in ASSETS.items())
    return (
        f'{XML}<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">\n'
        f'<Metadata><Identity Language="en-US" Id={name} Version={version} Publisher={publisher}/>'
        f"<DisplayName>{escape(package['displayName'])}</DisplayName><Description>{escape(package['description'])}</Description>"
        f"<Tags>{escape(','.join(package['keywords']))}</Tags><Categories>{escape(','.join(package['categories']))}</Categories>"
        f"<Properties>{properties}</Properties><License>extension/LICENSE.txt</License></Metadata>\n"
        '<Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation><Dependencies/>\n'
        f"<Assets>{assets}</Assets></PackageManifest>\n"
    )


def main():
    out, version = sys.argv[1:3]
    package = {**json.loads((ROOT / "vscode/package.json").read_text()), "version": version}
    defaults = "".join(f'<Default Extension=".{ending}" ContentType="{kind}"/>' for ending, kind in TYPES.items())
    contents = {
        "extension.vsixmanifest": manifest(package),
        "[Content_Types].xml": f'{XML}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">{defaults}</Types>\n',
        "extension/package.json": json.dumps(package, indent=2) + "\n",
        **{f"extension/{name}": path.read_text() for name, path in FILES.items()},
    }
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in contents.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, text, zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    main()
