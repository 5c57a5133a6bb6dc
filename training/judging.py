"""Reads lines with a network and counts its errors."""

import numpy as np

from lines import errors, fold


def ink_of(image: np.ndarray) -> np.ndarray:
    """A line as the network takes it: ink is 1, and the width a multiple of 32."""
    ink = (255 - image.astype(np.float32))[None, None] / 255
    return np.pad(ink, ((0, 0), (0, 0), (0, 0), (0, -ink.shape[3] % 32)))


def decode(logs: np.ndarray, letters: list[str]) -> str:
    best = logs.argmax(axis=1)
    return "".join(letters[code] for code, before in zip(best, [0, *best[:-1]]) if code != 0 and code != before)


def judge(read, lines, letters: list[str], each=map) -> float:
    """Errors per 100 letters. `each`: a `map` that reads several lines at once."""
    wrong = total = 0
    for (image, text), logs in zip(lines, each(read, [ink_of(image) for image, _ in lines])):
        got = decode(logs[0][: (image.shape[1] + 3) // 4], letters)
        wrong += errors(fold(got), fold(text))
        total += len(fold(text))
    return round(100 * wrong / max(1, total), 2)


def spread(lines, most: int):
    """Of all documents alike: every n-th line."""
    return lines[:: max(1, len(lines) // most)][:most]
