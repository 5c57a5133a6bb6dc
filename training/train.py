"""Trains, judges and exports the recogniser, and writes its card. Two stages of at most ten minutes each on one large GPU:
    python3 train.py --pack PACK --lines LINES --out OUT
`--stage 2` runs only the second one, from OUT/model.pt; `--extra DIR` adds packed lines of one's own (see pages.py).
"""

import argparse
import collections
import json
import random
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from augment import augment
from export import export
from judging import judge, spread
from lines import read_packed, split, write_packed
from network import Recogniser
from render import Drawing, drawn

SOURCES = json.loads((Path(__file__).parent / "sources.json").read_text())
# Language, kind of font, share.
PLAN = [
    ("cs", "roman", 26), ("sk", "roman", 9), ("cs", "typewriter", 11), ("sk", "typewriter", 2), ("de", "fraktur", 20), ("de", "roman", 6), ("de", "typewriter", 4),
    ("fr", "roman", 6), ("fr", "typewriter", 18), ("en", "roman", 8), ("en", "typewriter", 3), ("la", "roman", 7), ("la", "fraktur", 1),
]
JUDGED = {
    "czech": [("cs", "roman", 1)], "slovak": [("sk", "roman", 1)], "english": [("en", "roman", 1)], "german": [("de", "roman", 1)], "latin": [("la", "roman", 1)],
    "fraktur-book": [("de", "fraktur", 1)], "czech-typed": [("cs", "typewriter", 1)], "french-typed": [("fr", "typewriter", 1)],
}
# Kinds that go out as packed lines too, for other recognisers to be judged on.
PACKED = ("czech", "english", "fraktur-book")
# Steps, the highest rate, the share of real lines, lines drawn anew.
STAGES = [
    {"steps": 5993, "rate": 2e-3, "real": 0.5, "drawn": 60_000, "seed": 1, "without": ["papers"]},
    {"steps": 6163, "rate": 1.2e-3, "real": 0.62, "drawn": 60_000, "seed": 2},
]
# Training begins with so many drawn lines, and goes on with all of them from this step on: meanwhile they are drawn.
FIRST_DRAWN, JOINED = 8_000, 1_500
# Columns of all lines of a batch together.
AREA = 320 * 640


class Lines:
    """All lines on the GPU as one long row of columns."""

    def __init__(self, lines, alphabet: dict[str, int], device):
        self.widths = torch.tensor([image.shape[1] for image, _ in lines])
        ends = torch.cumsum(self.widths, 0)
        self.starts = (ends - self.widths).to(device)
        self.columns = torch.from_numpy(np.concatenate([image.T for image, _ in lines])).to(device)
        self.lengths = torch.tensor([len(text) for _, text in lines])
        code_ends = torch.cumsum(self.lengths, 0)
        self.code_starts = (code_ends - self.lengths).to(device)
        self.codes = torch.tensor([alphabet[letter] for _, text in lines for letter in text]).to(device)
        self.device = device

    def batch(self, indices: list[int]):
        chosen = torch.tensor(indices)
        widths, lengths = self.widths[chosen], self.lengths[chosen]
        width = (int(widths.max()) + 31) // 32 * 32
        place = torch.arange(width, device=self.device)
        there = chosen.to(self.device)
        inside = place[None, :] < widths.to(self.device)[:, None]
        at = (self.starts[there][:, None] + place).clamp(max=self.columns.shape[0] - 1)
        ink = 1 - self.columns[at].float() / 255
        ink = (ink * inside[:, :, None]).transpose(1, 2).unsqueeze(1)
        letters = self.code_starts[there][:, None] + torch.arange(int(lengths.max()), device=self.device)
        return ink, (widths + 3) // 4, self.codes[letters.clamp(max=len(self.codes) - 1)], lengths


def batches(lines: Lines, weights: np.ndarray, chance: np.random.Generator, area: int):
    """Lines of like width together, about `area` columns at a time."""
    widths = lines.widths.numpy()
    while True:
        chosen = chance.choice(len(weights), size=40_000, p=weights)
        chosen = chosen[np.argsort(widths[chosen] + chance.normal(0, 10, len(chosen)))]
        groups, group = [], []
        for index in chosen:
            group.append(int(index))
            if len(group) * widths[index] >= area or len(group) >= 640:
                groups.append(group)
                group = []
        chance.shuffle(groups)
        yield from groups


def widened(weights: dict, network: Recogniser) -> dict:
    """Weights of a model with fewer letters: new ones begin as unlikely as the network makes them."""
    wanted = network.state_dict()
    for name, value in weights.items():
        if value.shape != wanted[name].shape:
            wanted[name][: value.shape[0]] = value
            weights = {**weights, name: wanted[name]}
    return weights


def weigh(groups: list[str], real: float) -> np.ndarray:
    """How often each line is taken. Collections have shares of their own: small ones count for more than their size."""
    sizes = collections.Counter(groups)
    shares = {group: SOURCES["data"].get(group, {}).get("share", 0.2) for group in sizes if group != "drawn"}
    whole = {group: real * share / sum(shares.values()) for group, share in shares.items()} | {"drawn": 1 - real}
    weights = np.array([whole[group] / sizes[group] for group in groups])
    return weights / weights.sum()


def learn(network, lines, jobs, stage: dict, seconds: float | None, device, say) -> tuple[dict, int, int]:
    """One stage: the averaged weights, the steps, and how many lines were drawn."""
    alphabet = {letter: code for code, letter in enumerate(["", *SOURCES["letters"]]) if letter}

    def gathered(some):
        new = [(image, text, "drawn") for image, text in drawn(some)]
        known = [line for line in [*lines, *new] if line[2] not in stage.get("without", []) and all(letter in alphabet for letter in line[1])]
        weights = weigh([group for _, _, group in known], stage["real"])
        data = Lines([(image, text) for image, text, _ in known], alphabet, device)
        say(f"{len(known)} lines:", dict(collections.Counter(group for _, _, group in known)))
        return data, batches(data, weights, np.random.default_rng(stage["seed"]), AREA), len(new)

    first = max(1, len(jobs) * FIRST_DRAWN // max(1, stage["drawn"]))
    data, source, count = gathered(jobs[:first])
    average = torch.optim.swa_utils.AveragedModel(network, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.9995), use_buffers=True)
    optimizer = torch.optim.AdamW(network.parameters(), lr=stage["rate"], weight_decay=0.02)
    loss_of = nn.CTCLoss(zero_infinity=True)
    network.train()
    begun, step, mean = time.time(), 0, None
    while (done := (time.time() - begun) / seconds if seconds else step / stage["steps"]) < 1:
        if step == JOINED:
            data, source, count = gathered(jobs)
        for group in optimizer.param_groups:
            group["lr"] = stage["rate"] * min(1, (step + 1) / 300) * (0.02 + 0.98 * 0.5 * (1 + np.cos(np.pi * done)))
        ink, widths, targets, lengths = data.batch(next(source))
        with torch.autocast(device.type, torch.bfloat16):
            logs = network(augment(ink).contiguous(memory_format=torch.channels_last))
        loss = loss_of(logs.transpose(0, 1), targets, widths, lengths)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 3)
        optimizer.step()
        average.update_parameters(network)
        step += 1
        if step % 50 == 0:
            value = loss.item()
            mean = value if mean is None else 0.9 * mean + 0.1 * value
        if step % 500 == 0:
            say(f"step {step}, loss {mean:.3f}, {step / (time.time() - begun):.1f} a second")
    return {name: value.cpu() for name, value in average.module.state_dict().items()}, step, count


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pack", type=Path, required=True)
    parser.add_argument("--lines", type=Path, required=True)
    parser.add_argument("--extra", type=Path, action="append", default=[])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--stage", type=int, choices=range(1, len(STAGES) + 1), help="only this one; later ones go on from OUT/model.pt")
    parser.add_argument("--seconds", type=float, help="trains each stage by the clock, not by its steps")
    parser.add_argument("--drawn", type=int, help="other than the stage's number of drawn lines")
    parser.add_argument("--processes", type=int, default=15)
    options = parser.parse_args()
    begun = time.time()
    say = lambda *words: print(f"{time.time() - begun:6.1f} s", *words, flush=True)  # noqa: E731
    options.out.mkdir(parents=True, exist_ok=True)
    stages = STAGES[options.stage - 1 : options.stage] if options.stage else STAGES
    # Processes that draw begin before the GPU is touched.
    counts = [options.drawn or stage["drawn"] for stage in stages]
    drawing, judging = Drawing(options.pack, "train", options.processes), Drawing(options.pack, "judge", 2)
    jobs = [drawing.order(count, PLAN, stage["seed"]) for count, stage in zip(counts, stages)]
    to_judge = {name: judging.order(300, plan, 99) for name, plan in JUDGED.items()}

    judged, lines = {}, []
    for name, held_out in SOURCES["held_out_lines"].items():
        if not (options.lines / f"{name}.tsv").exists():
            say(f"{name} are left out: {options.lines} has none")
            continue
        train, kept = split(read_packed(options.lines, name), held_out)
        judged[name] = [(image, text) for image, text, _ in kept]
        lines += [(image, text, name) for image, text, _ in train]
    for directory in options.extra:
        for path in sorted(directory.glob("*.tsv")):
            lines += [(image, text, f"extra {path.stem}") for image, text, _ in read_packed(directory, path.stem)]
    say("held out:", {name: len(kept) for name, kept in judged.items()})

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    letters = ["", *SOURCES["letters"]]
    network = Recogniser(len(letters)).to(device).to(memory_format=torch.channels_last)
    say(f"{sum(each.numel() for each in network.parameters()) / 1e6:.2f} million parameters on {device}")
    made = {"steps": [], "drawn": 0}
    if options.stage and options.stage > 1:
        made = torch.load(options.out / "model.pt", map_location="cpu")
        network.load_state_dict(made["weights"])
    for stage, own in zip(stages, jobs):
        torch.manual_seed(stage["seed"])
        random.seed(stage["seed"])
        weights, steps, count = learn(network, lines, own, stage, options.seconds, device, say)
        network.load_state_dict(weights)
        made = {"letters": letters, "weights": weights, "steps": [*made["steps"], steps], "drawn": made["drawn"] + count}
        torch.save(made, options.out / "model.pt")
        say(f"{steps} steps")

    for name, own in to_judge.items():
        judged[name] = drawn(own)[:300]
        write_packed(options.out, f"judged-{name}", judged[name]) if name in PACKED else None
    final = network.eval()
    read = lambda ink: final(torch.from_numpy(ink).to(device)).float().cpu().numpy()  # noqa: E731
    with torch.no_grad():
        figures = {name: judge(read, spread(kept, 200), letters) for name, kept in judged.items()}
    say("CER %:", figures)
    sizes = {**collections.Counter(group for _, _, group in lines), "drawn": made["drawn"]}
    final = final.cpu().float().to(memory_format=torch.contiguous_format)
    export(final, options.out, letters, [image for image, _, _ in lines], judged, figures, say, steps=made["steps"], lines=sizes)


if __name__ == "__main__":
    main()
