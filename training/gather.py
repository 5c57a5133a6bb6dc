"""Gathers fonts and texts for synthetic lines into one directory (`pack`), each with its source and licence.

Runs on Debian with python3-fonttools and npm; the packages of sources.json are downloaded, not installed:
    python3 gather.py --pack PACK
"""

import argparse
import html
import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

HERE = Path(__file__).parent
SOURCES = json.loads((HERE / "sources.json").read_text())
CZECH = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.,;:!?-()áčďéěíňóřšťúůýžÁČĎÉĚÍŇÓŘŠŤÚŮÝŽ")
GERMAN = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.,;:!?-äöüÄÖÜß")
LATIN = set("abcdefghilmnopqrstuABCDEFGHILMNOPQRST.,")
WANTED = "".join(chr(code) for code in [*range(32, 127), *range(160, 384), *range(0x2010, 0x2027), 0x2030, 0x20AC, 0x201E, 0x201C, 0x2122, 0xFB01, 0xFB02, 0xFB05])
# Weights and widths that no printer of books and papers used.
UNUSUAL = re.compile(r"thin|light|extra|black|condensed|narrow|cond|semi|heavy|ultra|oblique.*bold|outline|initial|dropcap|small|caps|icon|symbol|math|dunhill|demi(?!.*regular)|display|medium", re.I)


def fetch(directory: Path) -> None:
    texts = {source[0] for sources in SOURCES["texts"].values() for source in sources}
    for package in sorted({*SOURCES["debian"], *texts} - {*SOURCES["npm"]}):
        target = directory / package
        target.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as temporary:
            subprocess.run(["apt-get", "download", package], cwd=temporary, check=True, stdout=subprocess.DEVNULL)
            for file in Path(temporary).glob("*.deb"):
                subprocess.run(["dpkg", "-x", file, target], check=True)
    for package in SOURCES["npm"]:
        target = directory / package.split("/")[-1]
        target.mkdir(parents=True, exist_ok=True)
        packed = subprocess.run(["npm", "pack", "--silent", package], cwd=target, check=True, capture_output=True, text=True)
        subprocess.run(["tar", "xf", packed.stdout.strip()], cwd=target, check=True)
    for package, families in SOURCES["within"].items():
        with tempfile.TemporaryDirectory() as temporary:
            subprocess.run(["apt-get", "download", package], cwd=temporary, check=True, stdout=subprocess.DEVNULL)
            for file in Path(temporary).glob("*.deb"):
                subprocess.run(["dpkg", "-x", file, Path(temporary) / "all"], check=True)
            for family, pattern in families.items():
                (directory / family).mkdir(parents=True, exist_ok=True)
                for path in (Path(temporary) / "all").rglob(pattern):
                    shutil.copy(path, directory / family)


# Narrow ones are usual in reports and tables.
UNUSUAL_TODAY = re.compile(re.sub(r"(semi)?condensed\||narrow\||cond\|", "", UNUSUAL.pattern), re.I)


def kind_of(family: str, file: str, font: TTFont) -> str:
    name = f"{family} {file}".lower()
    if family in SOURCES["fraktur"]:
        return "fraktur"
    if family in SOURCES["modern"]:
        return "modern"
    if font["post"].isFixedPitch or re.search(r"typewriter|courier|mono|elite|cutive|cursor", name):
        return "typewriter"
    return "roman"


def choose_fonts(directory: Path, pack: Path) -> None:
    rows = []
    taken: dict[str, int] = {}
    files = [(family.name, path) for family in sorted(directory.iterdir()) for path in sorted(family.rglob("*"))]
    for family, path in files:
        if path.suffix.lower() not in (".ttf", ".otf") or path.is_symlink():
            continue
        try:
            font = TTFont(path, lazy=True)
            letters = {chr(code) for code in font.getBestCmap()}
            kind = kind_of(family, path.name, font)
        except Exception as error:
            print(f"{path.name} is left out: {error}")
            continue
        needed = LATIN if kind == "fraktur" else CZECH
        unusual = UNUSUAL_TODAY if kind == "modern" else UNUSUAL
        if unusual.search(path.stem) or not needed <= letters or taken.get(family, 0) >= SOURCES["most_per_family"]:
            continue
        taken[family] = taken.get(family, 0) + 1
        target = pack / "fonts" / f"{family}-{path.stem}{path.suffix.lower()}"
        options = subset.Options(layout_features=["kern", "liga", "rlig"], glyph_names=False, hinting=False, notdef_outline=True)
        small = subset.load_font(str(path), options)
        subsetter = subset.Subsetter(options)
        subsetter.populate(text=WANTED)
        subsetter.subset(small)
        subset.save_font(small, str(target), options)
        held_out = any(part in target.name for part in SOURCES["held_out_fonts"])
        rows.append([target.name, kind, family, str(CZECH <= letters), str(GERMAN <= letters), "held out" if held_out else ""])
    (pack / "fonts.tsv").write_text("".join("\t".join(row) + "\n" for row in rows))
    print(f"{len(rows)} fonts")


def sentences_of(path: Path) -> list[str]:
    """Pages of a manual, or files of sayings, as plain paragraphs."""
    raw = path.read_bytes()
    text = raw.decode("utf8", "replace")
    if path.suffix in (".html", ".htm") or "<html" in text[:500].lower():
        text = re.sub(r"(?is)<(script|style|head).*?</\1>", " ", text)
        text = re.sub(r"(?i)</?(p|li|td|th|h\d|div|tr|br|dt|dd)[^>]*>", "\n", text)
        text = html.unescape(re.sub(r"<[^>]*>", "", text))
    paragraphs = (re.sub(r"\s+", " ", line).strip() for line in text.split("\n"))
    return [each for each in paragraphs if len(each) > 20 and "\ufffd" not in each]


def words_of(path: Path, encoding: str) -> list[str]:
    words = (line.split("/")[0].strip() for line in path.read_text(encoding=encoding, errors="ignore").splitlines()[1:])
    return [word for word in words if word.isalpha() and len(word) > 1]


def gather_texts(directory: Path, pack: Path) -> None:
    """Prose by language (NAME.txt), and words that occur in no prose (NAME.words)."""
    for language, sources in SOURCES["texts"].items():
        found: dict[str, None] = {}
        words: dict[str, None] = {}
        for package, pattern, encoding in sources:
            for path in sorted((directory / package).rglob(pattern)):
                if encoding:
                    words |= dict.fromkeys(words_of(path, encoding))
                elif path.is_file() and not path.is_symlink():
                    found |= dict.fromkeys(sentences_of(path))
        # Every twentieth paragraph is for judging.
        for part, wanted in (("train", False), ("judge", True)):
            lines = [line for number, line in enumerate(found) if (number % 20 == 0) == wanted]
            (pack / "texts" / f"{language}.{part}.txt").write_text("\n".join(lines) + "\n", encoding="utf8")
        (pack / "texts" / f"{language}.words").write_text("\n".join(words) + "\n", encoding="utf8")
        print(f"{language}: {len(found)} paragraphs, {len(words)} words")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--packages", type=Path, help="a directory where the packages lie already, unpacked")
    parser.add_argument("--pack", type=Path, required=True)
    options = parser.parse_args()
    for name in ("fonts", "texts"):
        os.makedirs(options.pack / name, exist_ok=True)
    packages = options.packages
    if packages is None:
        packages = Path(tempfile.mkdtemp())
        fetch(packages)
    choose_fonts(packages, options.pack)
    gather_texts(packages, options.pack)


if __name__ == "__main__":
    main()
