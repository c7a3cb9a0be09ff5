"""wheel.py TREE VERSION OUTPUT: a Python wheel of the tree.

bin/assay goes where pip puts scripts and lib/assay below the same prefix, so that the launcher finds it; there is no
Python in between. The tags: no Python ABI, and any C library, since the tree brings its own: that is at least what
manylinux_2_17 and musllinux_1_1 promise.
"""
import base64
import hashlib
import os
import pathlib
import sys
import zipfile

tree, version, output = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
TAGS = ["manylinux_2_17_x86_64", "manylinux2014_x86_64", "musllinux_1_1_x86_64"]
epoch = int(os.environ.get("SOURCE_DATE_EPOCH", "315532800"))
METADATA = f"""Metadata-Version: 2.1
Name: assay
Version: {version}
Summary: Evaluates LLM systems with a crash-proof engine and honest statistics
Platform: linux_x86_64
Classifier: Environment :: Console
Classifier: Operating System :: POSIX :: Linux
Requires-Python: >=3.6
Description-Content-Type: text/markdown

"""
WHEEL = "Wheel-Version: 1.0\nGenerator: assay\nRoot-Is-Purelib: false\n" + "".join(f"Tag: py3-none-{tag}\n" for tag in TAGS)


def time_of_archive():
    import time
    return time.gmtime(max(epoch, 315532800))[:6]


def main():
    data, info = f"assay-{version}.data", f"assay-{version}.dist-info"
    name = output / f"assay-{version}-py3-none-{'.'.join(TAGS)}.whl"
    record = []
    with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        def add(path, content, mode=0o644):
            entry = zipfile.ZipInfo(path, time_of_archive())
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(content)}\n")

        def add_file(path, file):
            add(path, file.read_bytes(), file.stat().st_mode & 0o777)

        add_file(f"{data}/scripts/assay", tree / "bin/assay")
        for file in sorted((tree / "lib/assay").iterdir()):
            add_file(f"{data}/data/lib/assay/{file.name}", file)
        for file in sorted((tree / "share/doc/assay/libraries").iterdir()):
            add_file(f"{info}/licenses/{file.name}", file)
        add(f"{info}/METADATA", (METADATA + (tree / "share/doc/assay/README.md").read_text()).encode())
        add(f"{info}/WHEEL", WHEEL.encode())
        record.append(f"{info}/RECORD,,\n")
        entry = zipfile.ZipInfo(f"{info}/RECORD", time_of_archive())
        entry.external_attr = 0o100644 << 16
        wheel.writestr(entry, "".join(record))
    print(name)


main()
