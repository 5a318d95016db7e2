#!/usr/bin/env python3
"""Makes dist/memviz_torch-VERSION-....whl and the source distribution: `./run wheel`.

The wheel carries two kinds of native code. The program is build/'s own, linked fully statically, so that it runs on
every Linux. The made-up GPU is loaded into other people's processes and has to use their C library: it is compiled for
one of 2012 (glibc 2.17) with the C compiler that PyPI has as `ziglang`, which knows the symbols of old ones.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HERE = ROOT / "packaging"
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "memviz"
TOOLS = CACHE / "wheel-tools"
GLIBC = (2, 17)
# The engine of the page; `./run page` builds it.
ENGINE = ROOT / "build-page/engine.wasm.zst"
# The packages of the libraries that `./run` names, and those that CMake needs to find them.
ARM_PACKAGES = (
    "libboost-program-options-dev libboost-program-options1.74-dev libboost-program-options1.74.0 libboost1.74-dev "
    "libfmt-dev libfmt9 libpugixml-dev libpugixml1v5 libre2-9 libre2-dev libsqlite3-0 libsqlite3-dev libzip-dev libzip4 "
    "libzstd-dev libzstd1 liblzma-dev liblzma5 libbz2-dev libbz2-1.0 nlohmann-json3-dev zlib1g zlib1g-dev"
).split()
MOST_BYTES = 6_200_000


def run(*words, **options):
    subprocess.run([str(word) for word in words], check=True, **options)


def output_of(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def run_quietly(*words, **options):
    """Shows the output only if the command fails."""
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **options)
    if done.returncode != 0:
        sys.exit(f"{done.stdout}memviz: {' '.join(map(str, words[:4]))} ... failed")


def say(text):
    print(f"memviz: {text}", flush=True)


def make_tools():
    requirements = HERE / "requirements.txt"
    installed = TOOLS / requirements.name
    if installed.is_file() and installed.read_bytes() == requirements.read_bytes():
        return
    print(f"memviz: installing what makes wheels into {TOOLS}", file=sys.stderr, flush=True)
    run(sys.executable, "-m", "venv", "--clear", TOOLS)
    run(TOOLS / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", requirements)
    # Written last, so that an interrupted installation is not mistaken for a complete one.
    shutil.copy(requirements, installed)


def zig_folder():
    return pathlib.Path(output_of(TOOLS / "bin/python", "-c", "import ziglang; print(ziglang.__path__[0])").strip())


def build_program(target):
    build = target.build
    libraries = CACHE / f"static-{target.name}"
    say(f"static libraries, in {libraries}")
    run(HERE / "static_libraries.sh", libraries, *target.cmake)
    say("the program")
    run("cmake", "--preset", "default", "-B", build, "-DMEMVIZ_STATIC=ON", f"-DMEMVIZ_STATIC_LIBRARIES={libraries}/lib",
        *target.cmake, *target.without, stdout=subprocess.DEVNULL)
    run("cmake", "--build", build, "--target", "memviz_static")
    return build / "memviz_static"


def build_rehearsal(build, zig):
    """The made-up GPU for the C library of GLIBC."""
    say("the made-up GPU, by Zig")
    build.mkdir(parents=True, exist_ok=True)
    compiler = build / "c++"
    version = ".".join(map(str, GLIBC))
    script = f'#!/bin/sh\nexec "{zig}/zig" c++ -target x86_64-linux-gnu.{version} "$@"\n'
    if not compiler.exists() or compiler.read_text() != script:
        compiler.write_text(script)
        compiler.chmod(0o755)
    run("cmake", "-G", "Ninja", "-S", ROOT / "rehearsal/gpu", "-B", build, f"-DCMAKE_CXX_COMPILER={compiler}",
        "-DCMAKE_CXX_COMPILER_LAUNCHER=", "-DCMAKE_BUILD_TYPE=Release", "-DMEMVIZ_REHEARSAL_TESTS=OFF",
        stdout=subprocess.DEVNULL)
    run("cmake", "--build", build)
    return build / "rehearsal"


def stage(folder, target, program, rehearsal, zig):
    """Installs the files of cmake/wheel.cmake, without symbols, in `folder`."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    run(target.strip, "-o", folder / "memviz", program)
    (folder / "memviz").chmod(0o755)
    if rehearsal:
        (folder / "rehearsal").mkdir()
        library = folder / "rehearsal/libmemviz_rehearsal.so"
        run(target.strip, "-o", library, rehearsal / library.name)
        library.chmod(0o644)
        shutil.copy(rehearsal / "names", folder / "rehearsal")
        shutil.copytree(rehearsal / "profiles", folder / "rehearsal/profiles")
        check_symbols(library)
    check_is_static(folder / "memviz")
    run(sys.executable, HERE / "notices.py", folder / "NOTICES", zig)


def check_is_static(program):
    if "NEEDED" in output_of("readelf", "--dynamic", program):
        sys.exit(f"memviz: {program} needs shared libraries")


def check_symbols(library):
    """Checks that no symbol is newer than the tag of the wheel allows."""
    versions = re.findall(r"GLIBC_([0-9.]+)", output_of("readelf", "--version-info", library))
    newest = max(tuple(map(int, version.split("."))) for version in versions)
    if newest > GLIBC:
        sys.exit(f"memviz: {library} needs glibc {newest}, more than {GLIBC}")


def pack(contents, target):
    """Builds the wheel under its correct tags: the program needs no C library, and the made-up GPU itself refuses
    machines that it cannot run on."""
    dist = ROOT / "dist"
    for old in dist.glob(f"memviz_torch-*_{target.name}.whl"):
        old.unlink()
    python = TOOLS / "bin/python"
    # A separate folder, because this only packs and builds nothing; emptied, so that no earlier file stays in the
    # wheel.
    shutil.rmtree(ROOT / "build/python", ignore_errors=True)
    run_quietly(python, "-m", "build", "--wheel", "--no-isolation", "--outdir", contents.parent / "untagged",
                f"-Ccmake.define.MEMVIZ_WHEEL_CONTENTS={contents}", "-Cinstall.strip=false", ROOT)
    untagged = max((contents.parent / "untagged").glob("*.whl"), key=os.path.getmtime)
    tags = ".".join(f"{kind}_{target.name}" for kind in ("manylinux_2_17", "manylinux2014", "musllinux_1_1"))
    name = output_of(python, "-m", "wheel", "tags", "--platform-tag", tags, "--remove", untagged).strip()
    dist.mkdir(exist_ok=True)
    wheel = dist / name
    run("advzip", "--recompress", "--shrink-extra", "--quiet", contents.parent / "untagged" / name)
    shutil.move(contents.parent / "untagged" / name, wheel)
    size = wheel.stat().st_size
    say(f"dist/{name}: {size:,} bytes")
    if size > MOST_BYTES:
        sys.exit(f"memviz: the wheel has {size:,} bytes, more than {MOST_BYTES:,}")


def pack_source():
    dist = ROOT / "dist"
    for old in dist.glob("memviz_torch-*.tar.gz"):
        old.unlink()
    run_quietly(TOOLS / "bin/python", "-m", "build", "--sdist", "--no-isolation", "--outdir", dist, ROOT)
    say(f"dist/{next(dist.glob('memviz_torch-*.tar.gz')).name}")


class Target:
    """Builds the wheel for this machine's architecture."""

    def __init__(self):
        self.name = "x86_64"
        self.build = ROOT / "build"
        self.cmake = []
        self.without = []
        self.strip = "strip"


class CrossTarget:
    """Builds for 64-bit Arm with Debian's cross compiler. That wheel lacks the made-up GPU, whose tables are of
    x86-64."""

    def __init__(self):
        self.name = "aarch64"
        self.build = ROOT / "build-aarch64"
        self.strip = "aarch64-linux-gnu-strip"
        sysroot = CACHE / "sysroot-arm64"
        say(f"Debian's libraries for it, in {sysroot}")
        run(HERE / "sysroot.sh", sysroot, "arm64", *ARM_PACKAGES)
        self.cmake = [f"-DCMAKE_TOOLCHAIN_FILE={HERE}/aarch64.cmake", f"-DMEMVIZ_SYSROOT={sysroot}",
                      f"-DMEMVIZ_STATIC_PREFIX={CACHE}/static-aarch64"]
        self.without = ["-DMEMVIZ_BUILD_TESTS=OFF", "-DMEMVIZ_CAPTURE=OFF", f"-DMEMVIZ_ENGINE={ENGINE}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arch", choices=("x86_64", "aarch64"), default="x86_64", help="what the wheel is for")
    parser.add_argument("--tools", action="store_true", help="only install what makes wheels, and print where ziglang is")
    arguments = parser.parse_args()
    if arguments.tools:
        make_tools()
        print(zig_folder())
        return
    is_arm = arguments.arch == "aarch64"
    make_tools()
    target = CrossTarget() if is_arm else Target()
    zig = zig_folder()
    program = build_program(target)
    rehearsal = None if is_arm else build_rehearsal(ROOT / "build/wheel/rehearsal", zig)
    contents = target.build / "wheel/contents"
    stage(contents, target, program, rehearsal, zig)
    pack(contents, target)
    pack_source()


if __name__ == "__main__":
    main()
