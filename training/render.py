"""Draws lines of text in free fonts, worn as old print and typescripts are."""

import random
import re
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont

from lines import HEIGHT, clean, stretch
from small import as_set, said_today, small_line

SCALE = 2
QUOTES = {"cs": "„“", "sk": "„“", "de": "„“", "fr": "«»", "en": "“”", "la": "«»"}
# The small e above a vowel that German books had instead of two dots.
E_ABOVE = "\u0364"
# Letters of Fraktur that stay together when a word is spaced out.
TOGETHER = re.compile(r"ch|ck|tz|ſt|ſſ|ſi|ſch|ff|fi|fl|ft|.", re.S)
# The fonts that look like those of old books and typewriters are drawn more often than the others.
LIKELY = {
    "typewriter": re.compile(r"^(?!.*(italic|oblique)).*(courier|typewriter|elite|cutive|FreeMono|NimbusMono|lmmono|xanh)", re.I),
    "fraktur": re.compile(r"unifraktur|blankenburg|gamaliel|yfonts|QTFraktur|gotico", re.I),
}


def long_s(text: str) -> str:
    """German spelling in Fraktur: a round s only where a word or its part ends."""
    text = re.sub(r"s(?=[a-zäöüßſ])", "ſ", text)
    return re.sub(r"ſ(?=[kbm])(?<=[aeiouäöü]ſ)", lambda found: random.choice("ſs"), text)


def as_in_old_books(text: str) -> str:
    return re.sub("[äöü]", lambda found: {"ä": "a", "ö": "o", "ü": "u"}[found[0]] + E_ABOVE, text)


class Texts:
    def __init__(self, pack: Path, part: str):
        self.prose, self.words = {}, {}
        for path in (pack / "texts").glob(f"*.{part}.txt"):
            language = path.name.split(".")[0]
            self.prose[language] = [clean(line) for line in path.read_text(encoding="utf8").splitlines() if line]
            self.words[language] = (pack / "texts" / f"{language}.words").read_text(encoding="utf8").split()
            if part != "train":
                self.words[language] = self.words[language][::17]

    def line(self, language: str, chance: random.Random) -> str:
        length = chance.choice((chance.randint(3, 20), chance.randint(20, 75), chance.randint(30, 75)))
        prose = self.prose[language]
        choice = chance.random()
        if choice < 0.55 and prose:
            text = chance.choice(prose)
            start = chance.randrange(max(1, len(text) - length))
            start = text.rfind(" ", 0, start + 1) + 1
            text = text[start : start + length]
        elif choice < 0.9:
            text = " ".join(chance.choices(self.words[language], k=max(1, length // 7)))
            text = self.punctuate(text, language, chance)[:length]
        else:
            text = self.numbers(chance)
        if chance.random() < 0.05:
            text = text.upper()
        elif chance.random() < 0.06:
            text = text.title()
        return clean(text)

    def punctuate(self, text: str, language: str, chance: random.Random) -> str:
        words = text.split(" ")
        for index in range(len(words)):
            choice = chance.random()
            if choice < 0.12:
                words[index] += chance.choice(",,,,.;:!?")
            elif choice < 0.15:
                words[index] = f"({words[index]})"
            elif choice < 0.18:
                words[index] = QUOTES[language][0] + words[index] + QUOTES[language][1]
            elif choice < 0.22:
                words[index] = words[index].capitalize()
            elif choice < 0.25:
                words[index] = str(chance.randint(1, 2000)) + chance.choice(("", ".", ","))
        if chance.random() < 0.2:
            words[-1] += "-"
        if chance.random() < 0.05:
            words.insert(chance.randrange(len(words) + 1), chance.choice(("–", "–", "&", "§", "†", "=", "/", "*")))
        return " ".join(words)

    def numbers(self, chance: random.Random) -> str:
        some = lambda: chance.choice((  # noqa: E731
            f"{chance.randint(1, 31)}. {chance.randint(1, 12)}. {chance.randint(1600, 2020)}", f"{chance.randint(1, 999)}",
            f"{chance.randint(1, 99)},{chance.randint(0, 99):02}", f"č. {chance.randint(1, 300)}", f"Nr. {chance.randint(1, 300)}", f"§ {chance.randint(1, 300)}",
            f"{chance.randint(1, 99)} %", f"{chance.randint(1, 9)}½", f"{chance.randint(1, 23)}:{chance.randint(0, 59):02}", f"No {chance.randint(1, 99)}",
            f"{chance.randint(1, 99)}°", "".join(chance.choices("IVXLC", k=chance.randint(1, 4))) + ".",
        ))
        return " ".join(some() for _ in range(chance.randint(1, 6)))


def draw(text: str, font, kind: str, chance: random.Random) -> Image.Image:
    """Ink on white, in twice the final size, as wide as the text."""
    spacing = chance.choice((0, 0, 0, 0, chance.uniform(-0.6, 3))) * SCALE
    if kind == "fraktur" and chance.random() < 0.12:
        spacing = chance.uniform(3, 7) * SCALE
    jitter = kind == "typewriter" and chance.random() < 0.7
    ascent, descent = font.getmetrics()
    margin = 8 * SCALE
    width = int(font.getlength(text) + abs(spacing) * len(text)) + 4 * margin
    image = Image.new("L", (width, ascent + descent + 4 * margin), 255)
    pen = ImageDraw.Draw(image)
    above = font.font_variant(size=max(8, int(font.size * 0.45))) if E_ABOVE in text else None
    if spacing == 0 and not jitter:
        pieces = re.split(f"([a-z]{E_ABOVE})", text) if above else [text]
    else:
        pieces = TOGETHER.findall(text) if kind == "fraktur" else list(text)
    at = float(margin)
    for piece in pieces:
        letters = piece.replace(E_ABOVE, "")
        lift = chance.gauss(0, 0.8) * SCALE if jitter else 0
        if letters:
            pen.text((at, margin + lift), letters, font=font, fill=int(abs(chance.gauss(0, 45))) if jitter else 0)
        if E_ABOVE in piece:
            # Over the letter, or over the one before where letters are drawn one by one.
            box = font.getbbox(letters or "o")
            middle = at + (box[0] + box[2]) / 2 if letters else at - font.getlength("o") / 2 - spacing
            small = above.getbbox("e")
            pen.text((middle - (small[0] + small[2]) / 2, margin + font.getbbox("o")[1] - small[3] - SCALE), "e", font=above, fill=0)
        if letters:
            at += max(1, font.getlength(letters) + spacing)
    if kind == "typewriter" and chance.random() < 0.04:
        base = margin + ascent + int(descent * chance.uniform(0.3, 0.8))
        pen.line((margin, base, at, base), fill=0, width=chance.randint(1, 2) * SCALE)
    return image


def strike(image: Image.Image, chance: random.Random) -> Image.Image:
    """What typewriters do: clogged types, double strokes, half strokes, a dry ribbon, the third carbon copy."""
    if chance.random() < 0.12:
        image = ImageChops.darker(image, ImageChops.offset(image, chance.randint(-2, 2), chance.randint(-1, 1)))
    if chance.random() < 0.25:
        image = image.filter(ImageFilter.MinFilter(chance.choice((3, 3, 5))))
    if chance.random() < 0.3:
        image = image.filter(ImageFilter.GaussianBlur(chance.uniform(0.7, 1.7) * SCALE))
    array = 255 - np.asarray(image, dtype=np.float32)
    if chance.random() < 0.2:
        ends = (1, chance.uniform(0.25, 0.8))
        array = array * np.linspace(*(ends if chance.random() < 0.5 else ends[::-1]), array.shape[0])[:, None]
    if chance.random() < 0.3:
        grain = np.random.default_rng(chance.getrandbits(32)).random((array.shape[0] // 2 + 1, array.shape[1] // 2 + 1))
        field = Image.fromarray(grain.astype(np.float32)).resize(image.size, Image.BILINEAR)
        array = array * (1 - chance.uniform(0.2, 0.9) * np.asarray(field))
    # Scanners and their users turn faint ink up again.
    array = array * (chance.uniform(200, 255) / max(40, np.percentile(array, 98)))
    return Image.fromarray(np.clip(255 - array, 0, 255).astype(np.uint8))


def slant(image: Image.Image, chance: random.Random) -> Image.Image:
    lean = chance.uniform(0.08, 0.3)
    wide = pad(image, 0, 0, image.width + int(image.height * lean), image.height)
    return wide.transform(wide.size, Image.AFFINE, (1, lean, -lean * image.height / 2, 0, 1, 0), Image.BILINEAR, fillcolor=255)


def wear(image: Image.Image, kind: str, chance: random.Random) -> Image.Image:
    if kind == "typewriter":
        image = strike(image, chance)
    if chance.random() < 0.25:
        image = image.filter(chance.choice((ImageFilter.MinFilter(3), ImageFilter.MaxFilter(3), ImageFilter.MinFilter(3))))
    if chance.random() < 0.6:
        image = image.filter(ImageFilter.GaussianBlur(chance.uniform(0.3, 1.6) * SCALE / 2))
    if chance.random() < 0.5:
        # Ink that did not take everywhere, or ran.
        array = np.asarray(image, dtype=np.float32)
        patches = np.random.default_rng(chance.getrandbits(32)).normal(0, 1, (array.shape[0] // 6 + 2, array.shape[1] // 6 + 2))
        field = Image.fromarray(patches.astype(np.float32)).resize(image.size, Image.BICUBIC)
        array = array + np.asarray(field) * chance.uniform(10, 40 if kind == "typewriter" else 70)
        image = Image.fromarray(np.clip(array, 0, 255).astype(np.uint8))
    if chance.random() < 0.3:
        threshold = chance.uniform(120 if kind == "typewriter" else 90, 190)
        image = image.point(lambda value: 255 if value > threshold else 0)
    return image


def line_image(text: str, font, kind: str, neighbours: tuple[str, str], chance: random.Random) -> np.ndarray | None:
    image = draw(text, font, kind, chance)
    if kind == "roman" and chance.random() < 0.08:
        image = slant(image, chance)
    box = ImageChops.invert(image).getbbox()
    if box is None:
        return None
    left, _, right, _ = box
    ascent, descent = font.getmetrics()
    # Lines are cut at their letters, or from ascender to descender, with a little air.
    height = ascent + descent
    letters = box[1] if chance.random() < 0.4 else min(box[1], 8 * SCALE + int(ascent * 0.22))
    foot = box[3] if chance.random() < 0.4 else max(box[3], 8 * SCALE + int(ascent + descent * 0.85))
    air = lambda: int(chance.uniform(-0.02, 0.14) * height)  # noqa: E731
    top, bottom = letters - air(), foot + air()
    if chance.random() < 0.35:
        leading = int(height * chance.uniform(0.85, 1.15))
        for text_beside, shift in zip(neighbours, (-leading, leading)):
            if chance.random() < 0.6:
                beside = draw(text_beside, font, kind, chance)
                layer = Image.new("L", image.size, 255)
                layer.paste(beside, (chance.randint(-20, 20), shift))
                image = ImageChops.darker(image, layer)
    side = chance.randint(0, 8 * SCALE), chance.randint(0, 8 * SCALE)
    image = wear(image.crop((left - side[0], top, right + side[1], bottom)) if top >= 0 else pad(image, left - side[0], top, right + side[1], bottom), kind, chance)
    width = max(8, round(image.width * HEIGHT / image.height * chance.uniform(0.85, 1.15)))
    if width > 1600:
        return None
    small = np.asarray(image.resize((width, HEIGHT), chance.choice((Image.BILINEAR, Image.LANCZOS, Image.BOX))))
    return stretch(small)


def pad(image: Image.Image, left: int, top: int, right: int, bottom: int) -> Image.Image:
    whole = Image.new("L", (right - left, bottom - top), 255)
    whole.paste(image, (-left, -top))
    return whole


def is_missing(font, letter: str) -> bool:
    mask, none = font.getmask(letter), font.getmask("\uffff")
    return mask.getbbox() is None or (mask.size == none.size and bytes(mask) == bytes(none))


STATE: dict = {}


def begin(pack: str, part: str) -> None:
    STATE["texts"] = Texts(Path(pack), part)
    STATE["fonts"] = {}
    rows = [row.split("\t") for row in (Path(pack) / "fonts.tsv").read_text().splitlines()]
    wanted = [row for row in rows if (row[5] == "held out") == (part != "train")]
    for file, kind, _, czech, german, _ in wanted:
        STATE["fonts"].setdefault(kind, []).append((str(Path(pack) / "fonts" / file), czech == "True", german == "True"))
    # Small type of today has all that print has.
    STATE["fonts"]["small"] = STATE["fonts"].get("modern", []) * 2 + STATE["fonts"].get("roman", [])


def work(seed: int, count: int, plan: list[tuple[str, str, float]]) -> list[tuple[np.ndarray, str]]:
    chance = random.Random(seed)
    random.seed(seed)
    result = []
    weights = [share for _, _, share in plan]
    while len(result) < count:
        language, kind, _ = chance.choices(plan, weights)[0]
        able = [path for path, czech, german in STATE["fonts"].get(kind, []) if (czech or language not in ("cs", "sk")) and (german or language != "de")]
        if kind in LIKELY and chance.random() < 0.7:
            able = [path for path in able if LIKELY[kind].search(path)] or able
        path = chance.choice(able)
        text = STATE["texts"].line(language, chance)
        if kind == "fraktur" and language == "de" and chance.random() < 0.9:
            text = long_s(text)
            if chance.random() < 0.35:
                text = as_in_old_books(text)
        neighbours = tuple(STATE["texts"].line(language, chance) for _ in range(2))
        shown = text
        if kind == "small":
            text = clean(said_today(text, chance))
            shown = as_set(text, chance)
        try:
            font = ImageFont.truetype(path, chance.randint(22, 40) * SCALE)
            if len(text) == 0 or any(is_missing(font, letter) for letter in set(shown) - {" ", E_ABOVE}):
                continue
            image = small_line(shown, path, neighbours, chance) if kind == "small" else line_image(text, font, kind, neighbours, chance)
        except (OSError, ValueError):
            continue
        # More letters than columns can't be told apart, and one column parts a letter from the same one after it.
        twice = sum(one == other for one, other in zip(text, text[1:]))
        if image is not None and image.shape[1] / 4 >= len(text) + max(4, twice):
            result.append((image, text))
    return result


class Drawing:
    """Lines that processes draw while the caller does something else."""

    def __init__(self, pack: Path, part: str, processes: int):
        self.pool = ProcessPoolExecutor(processes, initializer=begin, initargs=(str(pack), part))

    def order(self, count: int, plan: list[tuple[str, str, float]], seed: int) -> list[Future]:
        """`plan`: language, kind of font, share."""
        portion = min(count, 250)
        return [self.pool.submit(work, seed * 100_000 + number, portion, plan) for number in range((count + portion - 1) // portion)]


def drawn(jobs: list[Future]) -> list[tuple[np.ndarray, str]]:
    return [line for job in jobs for line in job.result()]
