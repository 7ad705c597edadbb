"""Builds the wheel (PEP 517): CMake builds the library, and the package with all it needs is packed beside it.

Uses nothing but the standard library, so that `pip install .` downloads nothing. The build folder is that of the preset
`release`; what is built there already is not built again.
"""
import base64
import hashlib
import pathlib
import re
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TAG = f"py3-none-{re.sub('[^a-zA-Z0-9]', '_', sysconfig.get_platform())}"
METADATA = """Metadata-Version: 2.1
Name: pelt
Version: {version}
Summary: Character skin: Direct Delta Mush, dual quaternions, baking, decomposition, posing by handles
License: Apache-2.0
Requires-Python: >=3.9
Requires-Dist: numpy>=1.24
Provides-Extra: sparse
Requires-Dist: scipy; extra == "sparse"
Description-Content-Type: text/markdown

{readme}"""
WHEEL = f"Wheel-Version: 1.0\nGenerator: pelt\nRoot-Is-Purelib: false\nTag: {TAG}\n"
CARRIED = (
    "libcli11-dev",
    "libdraco-dev",
    "libeigen3-dev",
    "libfmt-dev",
    "libhwy-dev",
    "libmeshoptimizer-dev",
    "libtbb-dev",
    "nlohmann-json3-dev",
    "zlib1g-dev",
)  # packages of Debian
DATE = (1980, 1, 1, 0, 0, 0)  # the same input gives the same bytes


def get_requires_for_build_wheel(config_settings=None):
    return []


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Makes the wheel in that folder; returns its name."""
    version = _version()
    name = f"pelt-{version}-{TAG}.whl"
    with tempfile.TemporaryDirectory() as stage:
        _make_package(stage)
        paths = sorted(path for path in pathlib.Path(stage).rglob("*") if path.is_file())
        files = {str(path.relative_to(stage)): path for path in paths}
        _pack(pathlib.Path(wheel_directory) / name, files, f"pelt-{version}.dist-info", version)
    return name


def _version():
    return re.search(r'PELT_VERSION "([0-9.]+)"', (ROOT / "include/pelt/version.h").read_text())[1]


def _make_package(folder):
    """The package in a folder of its own: modules, library, and the libraries that it needs."""
    build = ROOT / "build" / "release"
    for command in (
        ["cmake", "--preset", "release"],
        ["cmake", "--build", build, "--target", "pelt_python"],
        ["cmake", "--install", build, "--component", "python", "--prefix", folder],
    ):
        subprocess.run(command, cwd=ROOT, check=True, stdout=sys.stderr)


def _pack(wheel, files, info, version):
    readme = (ROOT / "docs" / "python.md").read_text()
    texts = {
        "METADATA": METADATA.format(version=version, readme=readme),
        "WHEEL": WHEEL,
        "LICENSE": (ROOT / "LICENSE").read_text(),
        **_notices(),
    }
    contents = {name: path.read_bytes() for name, path in files.items()}
    contents.update({f"{info}/{name}": text.encode() for name, text in texts.items()})
    record = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(content)}\n")
            executable = name in files and files[name].stat().st_mode & 0o100
            _add(archive, name, content, 0o755 if executable else 0o644)
        _add(archive, f"{info}/RECORD", "".join(record + [f"{info}/RECORD,,\n"]).encode(), 0o644)


def _notices():
    """The licenses of what the library contains or the wheel carries."""
    notices = {package: pathlib.Path("/usr/share/doc") / package / "copyright" for package in CARRIED}
    return {f"licenses/{package}.txt": file.read_text() for package, file in notices.items() if file.exists()}


def _add(archive, name, content, mode):
    entry = zipfile.ZipInfo(name, DATE)
    entry.external_attr = (0o100000 | mode) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, content)
