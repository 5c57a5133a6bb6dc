"""Lines of one's own pages: PAGE XML or ALTO with text, and their images, as packed lines.
    python3 pages.py --pages DIR --out DIR
An image lies beside its XML file or in a directory next to it, and has the name that the file gives or the file's own.
"""

import argparse
import random
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from lines import HEIGHT, clean, stretch, write_packed

# Air above, below and beside the letters, as in src/transcription/recognise/pismak/cut-line.ts.
AIR = 0.06
LOWEST = 5
LONGEST = 3000
ENDINGS = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp")


@dataclass
class Line:
    polygon: list[tuple[float, float]]
    baseline: list[tuple[float, float]]
    text: str


def points(text: str) -> list[tuple[float, float]]:
    """`1,2 3,4` of PAGE and newer ALTO, and `1 2 3 4` of older ALTO."""
    numbers = [float(one) for one in re.findall(r"-?\d+(?:\.\d+)?", text)]
    return list(zip(numbers[::2], numbers[1::2]))


def local(element) -> str:
    return element.tag.rsplit("}", 1)[-1]


def children(element, name: str):
    return [one for one in element if local(one) == name]


def page_line(element) -> Line:
    polygon = [point for one in children(element, "Coords") for point in points(one.get("points", ""))]
    baseline = [point for one in children(element, "Baseline") for point in points(one.get("points", ""))]
    return Line(polygon, baseline, page_text(element) or " ".join(page_text(word) for word in children(element, "Word")))


def page_text(element) -> str:
    given = sorted(children(element, "TextEquiv"), key=lambda one: int(one.get("index", "0")))
    found = [unicode.text or "" for one in given[:1] for unicode in children(one, "Unicode")]
    return " ".join(found)


def alto_line(element) -> Line:
    left, top, width, height = (float(element.get(name, "0")) for name in ("HPOS", "VPOS", "WIDTH", "HEIGHT"))
    shapes = [points(one.get("POINTS", "")) for shape in children(element, "Shape") for one in children(shape, "Polygon")]
    polygon = shapes[0] if shapes else [(left, top), (left + width, top), (left + width, top + height), (left, top + height)]
    given = element.get("BASELINE", "")
    baseline = points(given)
    if not baseline and given:
        baseline = [(left, float(given)), (left + width, float(given))]
    hyphens = "".join(one.get("CONTENT", "") for one in children(element, "HYP"))
    words = [one.get("CONTENT", "") for one in children(element, "String")]
    return Line(polygon, baseline, " ".join(words) + hyphens)


def read_page(path: Path) -> tuple[str, list[Line]]:
    """The name of the image, and the lines that have a text and a place."""
    root = ElementTree.parse(path).getroot()
    if local(root) == "PcGts":
        name = next((one.get("imageFilename", "") for one in root.iter() if local(one) == "Page"), "")
        lines = [page_line(one) for one in root.iter() if local(one) == "TextLine"]
    elif local(root) == "alto":
        name = next((one.text or "" for one in root.iter() if local(one) == "fileName"), "")
        lines = [alto_line(one) for one in root.iter() if local(one) == "TextLine"]
    else:
        raise ValueError(f"{path} is neither PAGE XML nor ALTO")
    return name, [line for line in lines if clean(line.text) and len(line.polygon) >= 3]


def image_of(path: Path, name: str) -> Path | None:
    wanted = {Path(name.replace("\\", "/")).name.lower(), *(path.stem.lower() + ending for ending in ENDINGS)}
    places = [path.parent, path.parent.parent, *(one for one in path.parent.parent.iterdir() if one.is_dir())]
    for place in places:
        for one in sorted(place.iterdir()):
            if one.is_file() and one.name.lower() in wanted and one.suffix.lower() in ENDINGS:
                return one
    return None


def cut(image: np.ndarray, line: Line, mask: bool) -> np.ndarray | None:
    """The line along its baseline, 40 pixels high, as the recogniser cuts it."""
    xs, ys = zip(*line.polygon)
    baseline = sorted(line.baseline)
    if len(baseline) < 2 or baseline[0][0] == baseline[-1][0]:
        # The feet of the letters are a fifth above the lower edge.
        foot = max(ys) - 0.2 * (max(ys) - min(ys))
        baseline = [(min(xs), foot), (max(xs), foot)]
    base_x, base_y = (np.array(values) for values in zip(*baseline))
    away = np.array(ys) - np.interp(xs, base_x, base_y)
    whole = away.max() - away.min()
    if whole < LOWEST or away.min() >= 0:
        return None
    tall = whole * (1 + 2 * AIR)
    start, length = min(xs) - tall * AIR, max(xs) - min(xs) + 2 * tall * AIR
    columns = round(length * HEIGHT / tall)
    if columns < 8 or columns > LONGEST:
        return None
    step = tall / HEIGHT
    x = start + (np.arange(columns * 2) + 0.5) * step / 2
    top = np.interp(x, base_x, base_y) + away.min() - tall * AIR
    y = top[None, :] + (np.arange(HEIGHT * 2)[:, None] + 0.5) * step / 2
    if mask:
        inside = Image.new("1", (image.shape[1], image.shape[0]), 0)
        ImageDraw.Draw(inside).polygon([(px, py) for px, py in line.polygon], fill=1)
        paper = np.percentile(image[max(0, int(min(ys))) : int(max(ys)) + 1, max(0, int(min(xs))) : int(max(xs)) + 1], 85)
        image = np.where(np.asarray(inside), image, np.uint8(paper))
    fine = bilinear(image, np.broadcast_to(x[None, :], y.shape), y)
    return stretch(fine.reshape(HEIGHT, 2, columns, 2).mean(axis=(1, 3)).astype(np.uint8))


def bilinear(image: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    x = np.clip(x - 0.5, 0, image.shape[1] - 1.001)
    y = np.clip(y - 0.5, 0, image.shape[0] - 1.001)
    left, top = x.astype(int), y.astype(int)
    across, down = x - left, y - top
    upper = image[top, left] * (1 - across) + image[top, left + 1] * across
    lower = image[top + 1, left] * (1 - across) + image[top + 1, left + 1] * across
    return upper * (1 - down) + lower * down


def lines_of(directory: Path, seed: int = 1) -> list[tuple[np.ndarray, str, str]]:
    """(image, text, page) of each line under a directory. Half of the lines are masked by their polygons, the others show their neighbours."""
    chance = random.Random(seed)
    found = []
    for path in sorted(directory.rglob("*.xml")):
        try:
            name, lines = read_page(path)
        except (ElementTree.ParseError, ValueError) as error:
            print(f"{path.name} is left out: {error}")
            continue
        picture = image_of(path, name)
        if picture is None:
            print(f"{path.name} is left out: there is no image {name or path.stem} beside it")
            continue
        with Image.open(picture) as opened:
            image = np.asarray(opened.convert("L"))
        if min(image.shape) < 2:
            continue
        for line in lines:
            strip = cut(image, line, mask=chance.random() < 0.5)
            if strip is not None and strip.shape[1] / 4 >= len(clean(line.text)) + 2:
                found.append((strip, clean(line.text), picture.name))
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pages", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--name", default="pages")
    options = parser.parse_args()
    lines = lines_of(options.pages)
    if not lines:
        raise SystemExit(f"there is no line with a text and an image under {options.pages}")
    options.out.mkdir(parents=True, exist_ok=True)
    write_packed(options.out, options.name, lines)
    print(f"{len(lines)} lines of {len({page for _, _, page in lines})} pages in {options.out}/{options.name}.tsv")


if __name__ == "__main__":
    main()
