"""Draws modern type at the few pixels that print-outs, slides, faxes and screens have for it, and cuts the lines out as the line finder does."""

import io
import math
import random
import re

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont

from lines import HEIGHT, stretch

# Pixels of a small letter on the page: below the first one nobody can read it, above the second one it isn't small.
LOWEST, HIGHEST = 5.5, 20
# As in src/transcription/lines/find-lines.ts and recognise/pismak/cut-line.ts, in heights of a small letter and of the line.
ASCENTS, DESCENTS, AIR = (1.4, 2.2), (0.4, 0.8), 0.06
# Dots that become one pixel, each way, where no screen draws the letters; by the height of a small letter.
FINE = ((10, 4), (16, 3), (math.inf, 2))
WIDEST = 1600


def said_today(text: str, chance: random.Random) -> str:
    """What reports, slides and forms have among their words."""
    word = lambda: re.sub(r"[^a-z]", "", chance.choice(text.lower().split() or ["a"])) or "www"  # noqa: E731
    number = lambda: f"{chance.randint(1, 999)}{chance.choice((',', '.', ' ', ''))}{chance.randint(0, 999):03}"  # noqa: E731
    some = (
        lambda: f"{word()}@{word()}.{chance.choice(('com', 'org', 'cz', 'de', 'eu', 'gov'))}",
        lambda: f"{chance.choice(('www.', 'http://', 'https://'))}{word()}.{chance.choice(('com', 'org', 'cz', 'de'))}/{word()}",
        lambda: chance.choice("$€") + number(),
        lambda: number() + chance.choice((" €", " Kč", "%", " %", " kg", " km", "m²", " MB", " °C", "x")),
        lambda: f"({chance.choice(('c', 'C', '©', '®', '™'))})" if chance.random() < 0.3 else word().title() + chance.choice("®™©"),
        lambda: f"{chance.choice(('FY', 'Q', 'No. ', '#', 'v', 'p. ', 'Fig. ', 'Tab. '))}{chance.randint(1, 2030)}",
        lambda: f"{chance.randint(1, 31)}/{chance.randint(1, 12)}/{chance.randint(1960, 2030)}",
        lambda: f"{word().upper()[:4]}-{chance.randint(1, 9999)}",
        lambda: f"+{chance.randint(1, 420)} {chance.randint(100, 999)} {chance.randint(100, 999)} {chance.randint(100, 999)}",
        lambda: f"{word()}/{word()}",
        lambda: word().title() + word().title(),
        lambda: f"[{chance.randint(1, 99)}]",
        lambda: chance.choice(("&", "-", "–", "=", "+", "<", ">", "|", "*", "U.S.", "e.g.", "a.s.", "s.r.o.", "GmbH", "Inc.", "Ltd.")),
    )
    words = text.split(" ")
    if chance.random() < 0.3:
        for _ in range(chance.randint(1, 3)):
            words.insert(chance.randrange(len(words) + 1), chance.choice(some)())
    if chance.random() < 0.07:
        words.insert(0, chance.choice(("•", "•", "-", "–", "*", "1.", "a)", "(1)", "·")))
    return " ".join(words)


def as_set(text: str, chance: random.Random) -> str:
    """Marks as word processors set them. The text that goes with the image keeps the plain ones, as `clean` in lines.py makes them."""
    if chance.random() < 0.6:
        text = re.sub(r'(?<=\S)"', "”", text.replace("'", "’"))
    if chance.random() < 0.3:
        text = text.replace("–", "—")
    if chance.random() < 0.3:
        text = text.replace("...", "…")
    if chance.random() < 0.15:
        text = text.replace("fi", "ﬁ").replace("fl", "ﬂ")
    return text


class Face:
    """A font at the size at which its small letters have a given height."""

    def __init__(self, path: str, chance: random.Random):
        self.path = path
        probe = ImageFont.truetype(path, 400)
        left, top, right, bottom = probe.getbbox("x", anchor="ls")
        self.body = (bottom - top) / 400
        # Set tight more often than wide, and narrow by those who want more on a page.
        self.tracking = chance.choice((0, 0, 0, chance.uniform(-0.045, 0), chance.uniform(-0.02, 0.06)))
        self.breadth = chance.choice((1, 1, chance.uniform(0.8, 1), chance.uniform(0.95, 1.1)))

    def at(self, body: float):
        return ImageFont.truetype(self.path, max(5, round(body / self.body)))


def place(pen: ImageDraw.ImageDraw, text: str, font, start: tuple[float, float], tracking: float, whole: bool) -> float:
    """Draws a text on its baseline; gives its right end. `whole`: letters begin at whole pixels."""
    at, base = start
    if tracking == 0:
        pen.text((at, base), text, font=font, fill=255, anchor="ls")
        return at + font.getlength(text)
    for letter in text:
        pen.text((round(at) if whole else at, base), letter, font=font, fill=255, anchor="ls")
        at += max(1, font.getlength(letter) + tracking * font.size)
    return at


def typeset(texts: tuple[str, str, str], face: Face, body: float, leading: float, fine: int, hard: bool, chance: random.Random):
    """Ink (255) of a line alone and of the lines around it, with the row of its baseline. `fine`: dots a pixel; `hard`: without shades of grey."""
    font = face.at(body * fine)
    size = font.size
    side, base = math.ceil(size), math.ceil(size * (leading + 1.2))
    width = math.ceil(max(font.getlength(text) + len(text) * max(0, face.tracking) * size for text in texts)) + 3 * side
    height = math.ceil(base + size * (leading + 0.6))
    layers = []
    rests = [chance.uniform(-0.5, 0.5) * side for _ in texts]
    for shift, text, rest in zip((0, -leading, leading), texts, rests):
        layer = Image.new("L", (width, height), 0)
        pen = ImageDraw.Draw(layer)
        pen.fontmode = "1" if hard else "L"
        right = place(pen, text, font, (side + (0 if shift == 0 else rest), base + round(shift * size)), face.tracking, fine == 1)
        if shift == 0 and chance.random() < 0.03:
            below = base + max(fine, round(size * 0.12))
            pen.rectangle((side, below, right, below + max(fine, round(size * 0.05)) - 1), fill=255)
        layers.append(layer)
    beside = ImageChops.lighter(layers[1] if chance.random() < 0.6 else layers[0], layers[2] if chance.random() < 0.6 else layers[0])
    return layers[0], ImageChops.lighter(layers[0], beside), base


def onto_pixels(image: Image.Image, fine: int, breadth: float, offset: tuple[float, float]) -> Image.Image:
    """Dots to pixels, each as dark as its dots together."""
    width, height = image.width - fine, image.height // fine - 1
    box = (offset[0], offset[1], offset[0] + width, offset[1] + height * fine)
    return image.resize((max(1, round(width * breadth / fine)), height), Image.BOX, box=box)


def threshold(image: Image.Image, chance: random.Random, blur: float, grain: float) -> Image.Image:
    """Ink or paper, as faxes and copiers decide: with letters thinner or fatter than they were."""
    if blur > 0:
        image = image.filter(ImageFilter.GaussianBlur(blur))
    array = np.asarray(image, dtype=np.float32)
    wanted = int(array.sum() / 255 * chance.triangular(0.55, 1.7, 1))
    if 0 < wanted < array.size:
        limit = min(225.0, max(30.0, float(np.partition(array, -wanted, axis=None)[-wanted])))
    else:
        limit = 128.0
    if grain > 0:
        array = array + np.random.default_rng(chance.getrandbits(32)).normal(0, grain, array.shape)
    return Image.fromarray(np.where(array >= limit, 255, 0).astype(np.uint8))


def page_of(texts, face: Face, body: float, chance: random.Random):
    """The line alone and among others as one medium has them, with its baseline, in pixels of that medium."""
    leading = chance.uniform(1.05, 1.5)
    if chance.random() < 0.3:
        # A screen: letters fitted to its pixels.
        return typeset(texts, face, body, leading, 1, chance.random() < 0.4, chance)
    fine = next(fine for most, fine in FINE if body < most)
    alone, among, base = typeset(texts, face, body, leading, fine, False, chance)
    if chance.random() < 0.35:
        # Ink that ran or did not reach, before any scanner sees it.
        soft = ImageFilter.GaussianBlur(chance.uniform(0.3, 0.9) * fine / 2)
        limit = chance.triangular(60, 200, 120)
        among = among.filter(soft).point(lambda value: 255 if value > limit else 0)
    offset = chance.uniform(0, fine), chance.uniform(0, fine)
    alone, among = (onto_pixels(each, fine, face.breadth, offset) for each in (alone, among))
    return alone, among, (base - offset[1]) / fine


def seen(image: Image.Image, chance: random.Random) -> Image.Image:
    """What faxes, scanners, copiers and files do to a page, in pixels of the page."""
    kind = chance.random()
    if kind < 0.45:
        image = threshold(image, chance, chance.choice((0, 0, chance.uniform(0.3, 0.8))), chance.choice((0, chance.uniform(3, 30))))
        if chance.random() < 0.15:
            image = threshold(image, chance, chance.uniform(0.4, 0.8), 0)
    elif kind < 0.75:
        image = image.filter(ImageFilter.GaussianBlur(chance.uniform(0.2, 0.9)))
    array = np.asarray(image, dtype=np.float32) / 255
    ink, paper = chance.choice((0, chance.uniform(0, 110))), chance.choice((255, chance.uniform(190, 255)))
    array = paper + (ink - paper) * array
    if kind >= 0.45 and chance.random() < 0.5:
        array = array + np.random.default_rng(chance.getrandbits(32)).normal(0, chance.uniform(1, 12), array.shape)
    image = Image.fromarray(np.clip(array, 0, 255).astype(np.uint8))
    if chance.random() < 0.25:
        file = io.BytesIO()
        image.save(file, "JPEG", quality=chance.randint(20, 85))
        image = Image.open(file).convert("L")
    return image


def cut(image: Image.Image, alone: Image.Image, base: float, body: float, chance: random.Random) -> np.ndarray | None:
    box = alone.point(lambda value: 255 if value > 100 else 0).getbbox()
    if box is None:
        return None
    left, top, right, bottom = box
    within = lambda value, limits: min(limits[1] * body, max(limits[0] * body, value))  # noqa: E731
    loose = lambda: chance.gauss(0, 0.35) + chance.uniform(-0.03, 0.1) * body  # noqa: E731
    ascent, descent = within(base - top, ASCENTS) + loose(), within(bottom - base, DESCENTS) + loose()
    base += chance.gauss(0, 0.25)
    tall = (ascent + descent) * (1 + 2 * AIR)
    air = tall * AIR
    ends = left - air + chance.gauss(0, 0.5), right + air + chance.gauss(0, 0.5)
    width = round((ends[1] - ends[0]) * HEIGHT / tall)
    if width < 8 or width > WIDEST:
        return None
    area = (max(0, ends[0]), max(0, base - ascent - air), min(image.width, ends[1]), min(image.height, base + descent + air))
    return stretch(np.asarray(image.resize((width, HEIGHT), Image.BILINEAR, box=area)))


def small_line(text: str, path: str, neighbours: tuple[str, str], chance: random.Random) -> np.ndarray | None:
    face = Face(path, chance)
    body = math.exp(chance.uniform(math.log(LOWEST), math.log(HIGHEST)))
    # Pictures of text are made larger or smaller when they go into a document, and again when it is printed.
    factor = chance.choice((1, 1, 1, chance.uniform(0.45, 1), chance.uniform(1, 2.5)))
    own = max(LOWEST * 0.9, body / factor)
    alone, among, base = page_of((text, *neighbours), face, own, chance)
    if factor != 1:
        if chance.random() < 0.4:
            among = threshold(among, chance, 0, 0)
        size = max(1, round(among.width * factor)), max(1, round(among.height * factor))
        how = chance.choice((Image.NEAREST, Image.BILINEAR, Image.BICUBIC, Image.LANCZOS, Image.BOX))
        base *= size[1] / among.height
        alone, among = alone.resize(size, Image.BILINEAR), among.resize(size, how)
    return cut(seen(among, chance), alone, base, own * factor, chance)
