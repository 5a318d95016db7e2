"""re2_tables.py FOLDER TABLE: writes a table of RE2, whose scripts lie in FOLDER, from Debian's package of the Unicode
database. The scripts themselves would download it."""

import pathlib
import re
import runpy
import sys
import types

folder, table = pathlib.Path(sys.argv[1]), sys.argv[2]
source = (folder / "unicode.py").read_text().replace("from six.moves import urllib", "import urllib.request")
source = re.sub(r"^_UNICODE_DIR = .*$", '_UNICODE_DIR = "/usr/share/unicode"', source, flags=re.M)
unicode = types.ModuleType("unicode")
exec(compile(source, "unicode.py", "exec"), unicode.__dict__)  # of RE2's own release
sys.modules["unicode"] = unicode
runpy.run_path(str(folder / f"make_{table}.py"), run_name="__main__")
