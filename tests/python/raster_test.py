#!/usr/bin/env python3
"""Pictures of memviz_torch as PNG and PDF, by the converters that are there: raster_test.py MEMVIZ SOURCE"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

PROGRAM, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
sys.path.insert(0, str(SOURCE / "python"))
os.environ["MEMVIZ_PROGRAM"] = str(PROGRAM)

import memviz_torch  # noqa: E402

OOM = SOURCE / "testdata/oom.pickle"


class RasterTest(unittest.TestCase):
    @unittest.skipUnless(shutil.which("rsvg-convert"), "no rsvg-convert")
    def test_png_and_pdf_are_what_they_are_called(self):
        picture = memviz_torch.state(OOM)
        with tempfile.TemporaryDirectory() as folder:
            for ending, start in (("png", b"\x89PNG"), ("PDF", b"%PDF")):
                file = pathlib.Path(picture.save(os.path.join(folder, "mem." + ending)))
                self.assertTrue(file.read_bytes().startswith(start))
        width = int.from_bytes(picture.png(zoom=1)[16:20], "big")
        self.assertEqual(int.from_bytes(picture.png(zoom=2)[16:20], "big"), 2 * width)
        self.assertEqual(memviz_torch.flame(OOM)._repr_mimebundle_()["image/png"][:4], b"\x89PNG")

    def test_where_there_is_only_resvg_it_makes_the_png(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "resvg")
            fonts = "if [ $1 = --list-fonts ]; then echo \"sans-serif: A\n$FONT\"; exit; fi\n"
            file.write_text(f"#!/bin/sh\n{fonts}echo \"$@\"\n/bin/grep -c '</svg>'\n")
            file.chmod(0o700)
            picture = memviz_torch.flame(OOM)
            with unittest.mock.patch.dict(os.environ, PATH=folder):
                with self.assertRaisesRegex(memviz_torch.Error, "resvg finds none of the fonts"):
                    picture.png()
                os.environ["FONT"] = "/fonts/a.ttf: 'Liberation Mono'"
                self.assertEqual(picture.png(zoom=1.5), b"--quiet --resources-dir / --zoom 1.5 - -c\n1\n")
                with self.assertRaisesRegex(memviz_torch.Error, "^pdf takes the program rsvg-convert"):
                    picture.pdf()

    def test_resvg_beside_the_program_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            program = shutil.copy(PROGRAM, folder)
            resvg = pathlib.Path(folder, "resvg")
            resvg.write_text("#!/bin/sh\necho \"A: 'Menlo'\"\n")
            resvg.chmod(0o700)
            output = pathlib.Path(folder, "mem.png")
            subprocess.run([program, "flame", OOM, "-q", "-o", output], env={"PATH": "/nowhere"}, check=True)
            self.assertEqual(output.read_text(), "A: 'Menlo'\n")

    def test_without_a_converter_there_is_a_reason_and_no_fallback(self):
        picture = memviz_torch.flame(OOM)
        with unittest.mock.patch.dict(os.environ, PATH="/nowhere"):
            with self.assertRaisesRegex(memviz_torch.Error, "rsvg-convert, which is not on the PATH"):
                picture.png()
            self.assertEqual(set(picture._repr_mimebundle_()), {"text/plain", "text/html"})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
