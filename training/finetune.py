"""Teaches the recogniser one's own pages: PAGE XML or ALTO with corrected text, and their images.
    python3 finetune.py --pages DIR --out OUT
Goes on from the model of the package, judges it before and after on pages that it does not learn from, and writes NAME.onnx and NAME.json
for the stage `recognise` (docs/recogniser.md). A minute or two on one core are enough for a few pages.
"""

import argparse
import random
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from augment import augment
from export import export
from exported import load_exported
from judging import judge
from network import Recogniser
from pages import lines_of
from train import Lines, widened

PACKAGED = Path(__file__).parent.parent / "src/transcription/recognise/pismak/model/print.int8.onnx"


def set_apart(lines, chance: random.Random):
    """A tenth of the pages, or of the lines of a single page, is for judging."""
    pages = sorted({page for _, _, page in lines})
    if len(pages) >= 2:
        apart = set(chance.sample(pages, max(1, len(pages) // 10)))
        chosen = [page in apart for _, _, page in lines]
    else:
        chosen = [index % 10 == 5 for index in range(len(lines))]
    train = [(image, text) for (image, text, _), is_apart in zip(lines, chosen) if not is_apart]
    return train, [(image, text) for (image, text, _), is_apart in zip(lines, chosen) if is_apart]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pages", type=Path, required=True, help="a directory of PAGE XML or ALTO files and their images")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--name", default="own", help="of the new model")
    parser.add_argument("--start", type=Path, default=PACKAGED, help="the model to go on from")
    parser.add_argument("--steps", type=int, default=200, help="of 16 lines each")
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--keep", type=float, default=0.4, help="share of the old weights in the new model, so that it forgets less")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    begun = time.time()
    say = lambda *words: print(f"{time.time() - begun:6.1f} s", *words, flush=True)  # noqa: E731
    chance = random.Random(options.seed)
    torch.manual_seed(options.seed)
    lines = lines_of(options.pages)
    if len(lines) < 20:
        raise SystemExit(f"{len(lines)} lines with a text and an image are under {options.pages}; at least 20 are needed, some hundred are useful")
    old, letters = load_exported(options.start)
    new = sorted({letter for _, text, _ in lines for letter in text} - set(letters))
    letters = [*letters, *new]
    train, kept = set_apart(lines, chance)
    say(f"{len(train)} lines to learn from, {len(kept)} to judge; new letters: {''.join(new) or 'none'}")

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    network = Recogniser(len(letters))
    network.load_state_dict(widened(old.state_dict(), network))
    network = network.to(device).eval()
    before = {name: value.clone() for name, value in network.state_dict().items()}
    read = lambda ink: network(torch.from_numpy(ink).to(device)).float().cpu().numpy()  # noqa: E731
    with torch.no_grad():
        first = judge(read, kept, letters)
    say(f"before: {first} errors per 100 letters")

    data = Lines(train, {letter: code for code, letter in enumerate(letters) if letter}, device)
    widths = data.widths.numpy()
    optimizer = torch.optim.AdamW(network.parameters(), lr=options.rate, weight_decay=0.01)
    loss_of = nn.CTCLoss(zero_infinity=True)
    # Norms stay as they are: a few lines would upset them.
    network.read.train()
    for step in range(options.steps):
        done = step / options.steps
        for group in optimizer.param_groups:
            group["lr"] = options.rate * min(1, (step + 1) / 20) * (0.05 + 0.95 * 0.5 * (1 + np.cos(np.pi * done)))
        # Lines of like width together.
        middle = chance.randrange(len(train))
        near = np.argsort(np.abs(widths - widths[middle]) + np.random.default_rng(chance.getrandbits(32)).normal(0, 60, len(train)))
        ink, columns, targets, lengths = data.batch([int(one) for one in near[:16]])
        logs = network(augment(ink) if chance.random() < 0.7 else ink)
        loss = loss_of(logs.transpose(0, 1), targets, columns, lengths)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 3)
        optimizer.step()
        if (step + 1) % 50 == 0:
            say(f"step {step + 1}, loss {loss.item():.3f}")
    tuned = network.state_dict()
    mixed = {name: value if not value.is_floating_point() else options.keep * before[name] + (1 - options.keep) * value for name, value in tuned.items()}
    network.load_state_dict(mixed)
    network.eval()
    with torch.no_grad():
        last = judge(read, kept, letters)
    say(f"after: {last} errors per 100 letters")
    options.out.mkdir(parents=True, exist_ok=True)
    facts = {"steps": options.steps, "lines": {"own pages": len(train)}, "errorsBefore": first, "errorsAfter": last}
    export(network.cpu(), options.out, letters, {"own pages": [image for image, _ in train]}, {"own pages": kept}, say, name=options.name, **facts)
    if last > first:
        say("the new model is WORSE on the judged lines than the old one; give it more pages, or fewer steps")


if __name__ == "__main__":
    main()
