"""Trains, judges and exports the recogniser, and writes its card, in ten minutes on one large GPU:
    python3 train.py --pack PACK --lines LINES --out OUT
`--extra DIR` adds packed lines of one's own (see pages.py). `--start MODEL` goes on from a model: one of ONNX beside its card, or `model.pt` of an earlier run.
"""

import argparse
import collections
import json
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from augment import augment
from export import errors_of, export
from exported import card_of, load_exported, wake
from judging import ink_of, spread
from lines import read_packed, split, write_packed
from network import Recogniser
from render import Drawing, drawn

SOURCES = json.loads((Path(__file__).parent / "sources.json").read_text())
# Language, kind of font, share.
PLAN = [
    ("cs", "roman", 26), ("sk", "roman", 9), ("cs", "typewriter", 11), ("sk", "typewriter", 2), ("de", "fraktur", 20), ("de", "roman", 6), ("de", "typewriter", 4),
    ("fr", "roman", 6), ("fr", "typewriter", 18), ("en", "roman", 8), ("en", "typewriter", 3), ("la", "roman", 7), ("la", "fraktur", 1),
    ("en", "small", 22), ("cs", "small", 14), ("de", "small", 8), ("fr", "small", 7), ("sk", "small", 4), ("la", "small", 1),
]
JUDGED = {
    "czech": [("cs", "roman", 1)], "slovak": [("sk", "roman", 1)], "english": [("en", "roman", 1)], "german": [("de", "roman", 1)], "latin": [("la", "roman", 1)],
    "fraktur-book": [("de", "fraktur", 1)], "czech-typed": [("cs", "typewriter", 1)], "french-typed": [("fr", "typewriter", 1)],
    "small-english": [("en", "small", 1)], "small-czech": [("cs", "small", 1)], "small-german": [("de", "small", 1)],
}
# Kinds that go out as packed lines too, for other recognisers to be judged on.
PACKED = ("czech", "english", "fraktur-book", "small-english", "small-czech", "small-german")
STEPS, RATE, SEED = 14_000, 2e-3, 1
# The share of real lines among all.
REAL = 0.58
# How many drawn lines there are from which step on: training begins with few of them, and the others are drawn meanwhile.
DRAWN = {0: 8_000, 1_500: 30_000, 4_000: 60_000, 8_500: 140_000}
# Columns of all lines of a batch together.
AREA = 320 * 640
# Widths of batches are multiples of this one. Each shape costs a second on the GPU when it comes for the first time, so there must be few.
BROADER = 96


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

    def batch(self, indices: list[int], width: int | None = None):
        chosen = torch.tensor(indices)
        widths, lengths = self.widths[chosen], self.lengths[chosen]
        width = width or (int(widths.max()) + 31) // 32 * 32
        place = torch.arange(width, device=self.device)
        there = chosen.to(self.device)
        inside = place[None, :] < widths.to(self.device)[:, None]
        at = (self.starts[there][:, None] + place).clamp(max=self.columns.shape[0] - 1)
        ink = 1 - self.columns[at].float() / 255
        ink = (ink * inside[:, :, None]).transpose(1, 2).unsqueeze(1)
        letters = self.code_starts[there][:, None] + torch.arange(int(lengths.max()), device=self.device)
        return ink, (widths + 3) // 4, self.codes[letters.clamp(max=len(self.codes) - 1)], lengths


def batches(lines: Lines, weights: np.ndarray, chance: np.random.Generator):
    """Lines of like width together with the width of their batch: the same few shapes again and again."""
    while True:
        chosen = chance.choice(len(weights), size=40_000, p=weights)
        broad = -(-lines.widths.numpy()[chosen] // BROADER) * BROADER
        groups, rest = [], np.array([], dtype=chosen.dtype)
        for width in np.unique(broad):
            # What did not fill a batch goes along with broader lines.
            rest = np.concatenate([rest, chosen[broad == width]])
            count = min(640, AREA // width)
            groups += [(rest[at : at + count].tolist(), int(width)) for at in range(0, len(rest) - count + 1, count)]
            rest = rest[len(rest) - len(rest) % count :]
        if len(rest) > 0:
            groups.append(([*rest.tolist(), *chosen[: count - len(rest)].tolist()], int(broad.max())))
        chance.shuffle(groups)
        yield from groups


class Reading(nn.Module):
    """Lines worn anew, and what the network reads. On a GPU each shape is recorded once and replayed: the LSTMs alone start 1,300 kernels a step."""

    def __init__(self, network: Recogniser):
        super().__init__()
        self.network = network

    def forward(self, ink):
        with torch.autocast(ink.device.type, torch.bfloat16, cache_enabled=False):
            return self.network(augment(ink).contiguous(memory_format=torch.channels_last))


class Readings:
    def __init__(self, network: Recogniser):
        self.network, self.known, self.pool = network, {}, None

    def __call__(self, ink):
        if ink.device.type != "cuda":
            return Reading(self.network)(ink)
        if ink.shape not in self.known:
            # Batches run one after another, so all shapes share their memory.
            self.pool = self.pool or torch.cuda.graph_pool_handle()
            self.known[ink.shape] = torch.cuda.make_graphed_callables(Reading(self.network).train(), (ink,), pool=self.pool)
        return self.known[ink.shape](ink)


def widened(weights: dict, network: Recogniser) -> dict:
    """Weights of a model with fewer letters: new ones begin as unlikely as the network makes them."""
    wanted = network.state_dict()
    for name, value in weights.items():
        if value.shape != wanted[name].shape:
            wanted[name][: value.shape[0]] = value
            weights = {**weights, name: wanted[name]}
    return weights


def begun(path: Path, letters: list[str], images: list[np.ndarray], device) -> tuple[Recogniser, int]:
    """The network of a model to go on from, with letters that it does not know yet, and the steps that it has learned for."""
    if path.suffix == ".pt":
        saved = torch.load(path, map_location="cpu")
        weights, known, steps = saved["weights"], saved["letters"], saved["steps"]
    else:
        old, known = load_exported(path)
        wake(old.to(device), [augment(torch.from_numpy(ink_of(image)).to(device)) for image in spread(images, 200)])
        weights, steps = old.cpu().state_dict(), json.loads(card_of(path).read_text(encoding="utf8")).get("steps", 0)
    if letters[: len(known)] != known:
        raise SystemExit(f"the letters of {path} are not the first ones of sources.json")
    network = Recogniser(len(letters))
    network.load_state_dict(widened(weights, network))
    return network, steps


def weigh(groups: list[str], real: float) -> np.ndarray:
    """How often each line is taken. Collections have shares of their own: small ones count for more than their size."""
    sizes = collections.Counter(groups)
    shares = {group: SOURCES["data"].get(group, {}).get("share", 0.2) for group in sizes if group != "drawn"}
    whole = {group: real * share / sum(shares.values()) for group, share in shares.items()} | {"drawn": 1 - real}
    weights = np.array([whole[group] / sizes[group] for group in groups])
    return weights / weights.sum()


def learn(network, lines, jobs, most: int, options, device, say) -> tuple[dict, int, int]:
    """The averaged weights, the steps, and how many lines were drawn. `jobs`: `most` lines that are being drawn."""
    alphabet = {letter: code for code, letter in enumerate(["", *SOURCES["letters"]]) if letter}

    def gathered(count):
        new = [(image, text, "drawn") for image, text in drawn(jobs[: max(1, len(jobs) * count // most)])]
        known = [line for line in [*lines, *new] if all(letter in alphabet for letter in line[1])]
        weights = weigh([group for _, _, group in known], options.real)
        data = Lines([(image, text) for image, text, _ in known], alphabet, device)
        say(f"{len(known)} lines:", dict(collections.Counter(group for _, _, group in known)))
        return data, batches(data, weights, np.random.default_rng([options.seed, count])), len(new)

    average = torch.optim.swa_utils.AveragedModel(network, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.9995), use_buffers=True)
    optimizer = torch.optim.AdamW(network.parameters(), lr=options.rate, weight_decay=0.02, fused=device.type == "cuda")
    loss_of = nn.CTCLoss(zero_infinity=True)
    network.train()
    read = Readings(network)
    began, step, mean = time.time(), 0, None
    while (done := (time.time() - began) / options.seconds if options.seconds else step / STEPS) < 1:
        if step in DRAWN:
            data, source, count = gathered(min(most, DRAWN[step]))
        for group in optimizer.param_groups:
            group["lr"] = options.rate * min(1, (step + 1) / 300) * (0.005 + 0.995 * 0.5 * (1 + np.cos(np.pi * done)))
        indices, width = next(source)
        ink, widths, targets, lengths = data.batch(indices, width)
        loss = loss_of(read(ink).transpose(0, 1), targets, widths, lengths)
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
            say(f"step {step}, loss {mean:.3f}, {step / (time.time() - began):.1f} a second")
    return {name: value.cpu() for name, value in average.module.state_dict().items()}, step, count


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pack", type=Path, required=True)
    parser.add_argument("--lines", type=Path, required=True)
    parser.add_argument("--extra", type=Path, action="append", default=[])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, help="trains by the clock, not by its steps")
    parser.add_argument("--drawn", type=int, help="another number of drawn lines")
    parser.add_argument("--processes", type=int, default=15)
    parser.add_argument("--start", type=Path, help="a model to go on from")
    parser.add_argument("--real", type=float, default=REAL, help="the share of real lines")
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--seed", type=int, default=SEED, help="another one for other drawn lines")
    options = parser.parse_args()
    first = time.time()
    say = lambda *words: print(f"{time.time() - first:6.1f} s", *words, flush=True)  # noqa: E731
    options.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(options.seed)
    # Processes that draw begin before the GPU is touched.
    drawing, judging = Drawing(options.pack, "train", options.processes), Drawing(options.pack, "judge", 2)
    most = options.drawn or max(DRAWN.values())
    jobs = drawing.order(most, PLAN, options.seed)
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
    network, before = begun(options.start, letters, [image for image, _, _ in lines], device) if options.start else (Recogniser(len(letters)), 0)
    network = network.to(device).to(memory_format=torch.channels_last)
    say(f"{sum(each.numel() for each in network.parameters()) / 1e6:.2f} million parameters on {device}")
    weights, steps, count = learn(network, lines, jobs, most, options, device, say)
    torch.save({"letters": letters, "weights": weights, "steps": before + steps}, options.out / "model.pt")
    say(f"{steps} steps")

    for name, own in to_judge.items():
        judged[name] = drawn(own)[:300]
        write_packed(options.out, f"judged-{name}", judged[name]) if name in PACKED else None
    final = Recogniser(len(letters)).eval()
    final.load_state_dict(weights)
    sizes = {**collections.Counter(group for _, _, group in lines), "drawn": count}
    if options.start and options.start.suffix == ".onnx":
        say("before:", errors_of(options.start, judged, json.loads(card_of(options.start).read_text(encoding="utf8"))["letters"]))
    examples = {"drawn": [image for image, _ in drawn(jobs[:8])]}
    for image, _, group in lines:
        examples.setdefault(group, []).append(image)
    export(final, options.out, letters, examples, judged, say, steps=before + steps, lines=sizes)


if __name__ == "__main__":
    main()
