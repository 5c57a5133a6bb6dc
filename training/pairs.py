"""Collections of single lines: images with their text beside them (NAME.png and NAME.gt.txt), as packed lines.
    python3 pairs.py --pairs DIR --out LINES --name books
The document of a line is the directory that it lies in, or the part of its name that `--document` matches.
"""

import argparse
import re
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
from PIL import Image

from lines import HEIGHT, clean, stretch, write_packed

# Air above and below the letters, as in src/transcription/recognise/pismak/cut-line.ts.
AIR = 0.06
LOWEST = 12
LONGEST = 1600
ENDINGS = (".png", ".tif", ".jpg")


def one_spelling(text: str) -> str:
    """Fraktur has one capital for I and J. Some collections write J for both, others spell as we do now: so do all of them here."""
    return re.sub(r"\bJ(?=[bcdfghklmnpqrstvwxzſ])", "I", text)


def cut(path: Path) -> np.ndarray | None:
    """The line 40 pixels high, with a little paper around its ink."""
    with Image.open(path) as opened:
        grey = stretch(np.asarray(opened.convert("L")))
    rows = np.flatnonzero((grey < 128).sum(axis=1) > 0)
    if len(rows) < LOWEST:
        return None
    inside = grey[rows[0] : rows[-1] + 1]
    air = max(1, round(len(inside) * AIR))
    padded = np.pad(inside, ((air, air), (air, air)), constant_values=255)
    columns = round(padded.shape[1] * HEIGHT / padded.shape[0])
    if columns < 8 or columns > LONGEST:
        return None
    return stretch(np.asarray(Image.fromarray(padded).resize((columns, HEIGHT), Image.BOX if padded.shape[0] > 1.5 * HEIGHT else Image.LANCZOS)))


def read(path: Path, document: str | None) -> tuple[np.ndarray, str, str] | None:
    image = next((one for ending in ENDINGS if (one := path.with_name(path.name.removesuffix(".gt.txt") + ending)).exists()), None)
    text = one_spelling(clean(path.read_text(encoding="utf8")))
    strip = cut(image) if image and text else None
    if strip is None or strip.shape[1] / 4 < len(text) + 2:
        return None
    found = re.search(document, path.name) if document else None
    return strip, text, found[0] if found else path.parent.name


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--document", help="what of a file's name tells its document, as a regular expression")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--name", required=True)
    parser.add_argument("--every", type=int, default=1, help="takes every n-th line")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    paths = sorted(options.pairs.rglob("*.gt.txt"))[:: options.every]
    with ProcessPoolExecutor(options.processes) as pool:
        lines = [line for line in pool.map(partial(read, document=options.document), paths, chunksize=100) if line]
    if not lines:
        raise SystemExit(f"there is no image with a text beside it under {options.pairs}")
    options.out.mkdir(parents=True, exist_ok=True)
    write_packed(options.out, options.name, lines)
    print(f"{len(lines)} of {len(paths)} lines, {len({page for _, _, page in lines})} documents in {options.out}/{options.name}.tsv")


if __name__ == "__main__":
    main()
