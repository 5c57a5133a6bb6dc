"""Lines of text as the trainer sees them: 40 pixels high, grey, 0 = ink, 255 = paper; packed files and splits."""

import lzma
import re
import unicodedata
from pathlib import Path

import numpy as np

HEIGHT = 40
# Marks that transcribers put in for what is not a letter on the page.
CONVENTIONS = re.compile(r"~|_|⟦|⟧|◻|☛|☚|△|●|✕|✤|▲|⬤|◼|★|⸫")
SAME = str.maketrans({"ʃ": "/", "˙": ".", "‧": "·", "⁄": "/", "‚": ",", "’": "'", "‘": "'", "″": '"', "”": '"', "—": "–", "‐": "-", "‑": "-", "⸗": "-", "¬": "-", "\u00a0": " ", "\u202f": " ", "…": "..."})


def clean(text: str) -> str:
    return re.sub(r"\s+", " ", unicodedata.normalize("NFC", text).translate(SAME)).strip()


def stretch(image: np.ndarray) -> np.ndarray:
    """Ink to 0 and paper to 255. The recogniser does the same before it reads."""
    low, high = np.percentile(image, (1, 85))
    if high - low < 16:
        return np.full_like(image, 255)
    return np.clip((image.astype(np.float32) - low) * (255 / (high - low)), 0, 255).astype(np.uint8)


def read_packed(directory: Path, name: str) -> list[tuple[np.ndarray, str, str]]:
    """(image, text, page) of each line; two bits a pixel, column by column."""
    data = np.frombuffer(lzma.decompress((directory / f"{name}.2bit.xz").read_bytes()), dtype=np.uint8)
    levels = np.stack([(data >> shift) & 3 for shift in (0, 2, 4, 6)], axis=1).reshape(-1) * np.uint8(85)
    lines = []
    at = 0
    for row in (directory / f"{name}.tsv").read_text(encoding="utf8").splitlines():
        width, page, text = row.split("\t")
        size = int(width) * HEIGHT
        image = levels[at : at + size].reshape(int(width), HEIGHT).T
        at += size
        text = clean(text)
        if text and not CONVENTIONS.search(text) and image.shape[1] >= 8:
            lines.append((np.ascontiguousarray(image), text, page))
    return lines


def write_packed(directory: Path, name: str, lines) -> None:
    """(image, text) or (image, text, page) of each line."""
    columns, rows = [], []
    for image, text, *page in lines:
        columns.append((image.T.reshape(-1, 4) // 64).astype(np.uint8))
        rows.append(f"{image.shape[1]}\t{page[0] if page else name}\t{text}\n")
    levels = np.concatenate(columns)
    data = levels[:, 0] | levels[:, 1] << 2 | levels[:, 2] << 4 | levels[:, 3] << 6
    (directory / f"{name}.2bit.xz").write_bytes(lzma.compress(data.tobytes()))
    (directory / f"{name}.tsv").write_text("".join(rows), encoding="utf8")


def split(lines, held_out: list[str]):
    """By document: no line of a held-out document is trained on."""
    train = [line for line in lines if not any(part in line[2] for part in held_out)]
    judge = [line for line in lines if any(part in line[2] for part in held_out)]
    return train, judge


def fold(text: str) -> str:
    """What counts as the same letter when errors are counted."""
    text = unicodedata.normalize("NFC", text).translate(SAME).replace("ſ", "s").replace("–", "-")
    text = re.sub("[„“”«»‟]", '"', text)
    return re.sub(r"\s+", " ", text).strip()


def errors(got: str, wanted: str) -> int:
    """Letters to insert, delete or replace."""
    row = list(range(len(wanted) + 1))
    for index, letter in enumerate(got, 1):
        previous, row[0] = row[0], index
        for column, other in enumerate(wanted, 1):
            previous, row[column] = row[column], min(row[column] + 1, row[column - 1] + 1, previous + (letter != other))
    return row[-1]
