"""Trains, judges and exports the recogniser, and writes its card. At most ten minutes on one large GPU:
    python3 train.py --pack PACK --lines LINES --out OUT
`--start MODEL.pt` goes on from a model; `--extra DIR` adds packed lines of one's own (see pages.py).
"""

import argparse
import collections
import json
import random
import time
import unicodedata
from pathlib import Path

import numpy as np
import torch
from torch import nn

from augment import augment
from lines import HEIGHT, errors, fold, read_packed, split, write_packed
from network import Recogniser
from render import render

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
# What small collections count for: a share that grows with this power of their size.
POWER = 0.5


class Lines:
    """All lines on the GPU as one long row of columns."""

    def __init__(self, lines, alphabet: dict[str, int], device):
        self.widths = torch.tensor([image.shape[1] for image, _ in lines])
        ends = torch.cumsum(self.widths, 0)
        self.starts = (ends - self.widths).to(device)
        self.columns = torch.from_numpy(np.concatenate([image.T for image, _ in lines])).to(device)
        self.codes = [[alphabet[letter] for letter in text] for _, text in lines]
        self.device = device

    def batch(self, indices: list[int]):
        widths = self.widths[indices]
        width = (int(widths.max()) + 31) // 32 * 32
        place = torch.arange(width, device=self.device)
        inside = place[None, :] < widths.to(self.device)[:, None]
        at = (self.starts[torch.tensor(indices, device=self.device)][:, None] + place).clamp(max=self.columns.shape[0] - 1)
        ink = 1 - self.columns[at].float() / 255
        ink = (ink * inside[:, :, None]).transpose(1, 2).unsqueeze(1)
        targets = torch.tensor([code for index in indices for code in self.codes[index]], device=self.device)
        lengths = torch.tensor([len(self.codes[index]) for index in indices])
        return ink, (widths + 3) // 4, targets, lengths


def batches(lines: Lines, weights: np.ndarray, chance: np.random.Generator, area: int):
    """Lines of like width together, about `area` columns at a time."""
    while True:
        chosen = chance.choice(len(weights), size=20_000, p=weights)
        chosen = chosen[np.argsort(lines.widths.numpy()[chosen] + chance.normal(0, 10, len(chosen)))]
        groups, group = [], []
        for index in chosen:
            group.append(int(index))
            if len(group) * int(lines.widths[index]) >= area or len(group) >= 256:
                groups.append(group)
                group = []
        chance.shuffle(groups)
        yield from groups


def decode(logs: np.ndarray, letters: list[str]) -> str:
    best = logs.argmax(axis=1)
    return "".join(letters[code] for code, before in zip(best, [0, *best[:-1]]) if code != 0 and code != before)


def widened(weights: dict, network: Recogniser) -> dict:
    """Weights of a model with fewer letters: new ones begin as unlikely as the network makes them."""
    wanted = network.state_dict()
    for name, value in weights.items():
        if value.shape != wanted[name].shape:
            wanted[name][: value.shape[0]] = value
            weights = {**weights, name: wanted[name]}
    return weights


@torch.no_grad()
def judge(read, lines, letters: list[str]) -> float:
    wrong = total = 0
    for image, text in lines:
        ink = (255 - image.astype(np.float32))[None, None] / 255
        spare = -ink.shape[3] % 32
        got = decode(read(np.pad(ink, ((0, 0), (0, 0), (0, 0), (0, spare))))[0][: (image.shape[1] + 3) // 4], letters)
        wrong += errors(fold(got), fold(text))
        total += len(fold(text))
    return round(100 * wrong / max(1, total), 2)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pack", type=Path, required=True)
    parser.add_argument("--lines", type=Path, required=True)
    parser.add_argument("--extra", type=Path, action="append", default=[])
    parser.add_argument("--start", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--synthetic", type=int, default=110_000)
    parser.add_argument("--seconds", type=float, default=420, help="of training, without drawing and judging")
    parser.add_argument("--rate", type=float, default=1.6e-3)
    parser.add_argument("--real", type=float, default=0.5, help="share of real lines")
    parser.add_argument("--processes", type=int, default=16)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    begun = time.time()
    say = lambda *words: print(f"{time.time() - begun:6.1f} s", *words, flush=True)  # noqa: E731
    options.out.mkdir(parents=True, exist_ok=True)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(options.seed)
    random.seed(options.seed)

    judged, train, groups = {}, [], []
    for name, held_out in SOURCES["held_out_lines"].items():
        lines, kept = split(read_packed(options.lines, name), held_out)
        judged[name] = [(image, text) for image, text, _ in kept]
        groups += [name] * len(lines)
        train += [(image, text) for image, text, _ in lines]
    for directory in options.extra:
        for path in sorted(directory.glob("*.tsv")):
            more = read_packed(directory, path.stem)
            groups += [f"extra {path.stem}"] * len(more)
            train += [(image, text) for image, text, _ in more]
    say("real lines:", dict(collections.Counter(groups)), "held out:", {name: len(lines) for name, lines in judged.items()})
    drawn = render(options.pack, "train", options.synthetic, PLAN, options.seed, options.processes)
    train += drawn
    groups += ["drawn"] * len(drawn)
    for name, plan in JUDGED.items():
        judged[name] = render(options.pack, "judge", 300, plan, options.seed + 1, options.processes)
        write_packed(options.out, f"judged-{name}", judged[name]) if name in PACKED else None
    say(f"{len(drawn)} lines drawn")

    start = torch.load(options.start, map_location="cpu") if options.start else None
    counts = collections.Counter(letter for _, text in train for letter in text)
    if start:
        new = [letter for letter, count in counts.items() if count >= 30 and letter not in start["letters"] and unicodedata.category(letter)[0] in "LM"]
        letters = [*start["letters"], *sorted(new)]
    else:
        letters = ["", *sorted(letter for letter, count in counts.items() if count >= 8)]
    alphabet = {letter: code for code, letter in enumerate(letters) if letter}
    known = [index for index, (_, text) in enumerate(train) if all(letter in alphabet for letter in text)]
    train, groups = [train[index] for index in known], [groups[index] for index in known]
    weights = np.zeros(len(train))
    real = [group for group in set(groups) if group != "drawn"]
    sizes = collections.Counter(groups)
    # Small collections count for more than their size.
    shares = {group: sizes[group] ** POWER for group in real}
    for index, group in enumerate(groups):
        share = 1 - options.real if group == "drawn" else options.real * shares[group] / sum(shares.values())
        weights[index] = share / sizes[group]
    weights /= weights.sum()
    say(f"{len(train)} lines, {len(letters)} classes: {''.join(letters)}")

    lines = Lines(train, alphabet, device)
    network = Recogniser(len(letters)).to(device)
    if start:
        network.load_state_dict(widened(start["weights"], network))
    average = torch.optim.swa_utils.AveragedModel(network, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.9995), use_buffers=True)
    say(f"{sum(each.numel() for each in network.parameters()) / 1e6:.2f} million parameters on {device}")
    optimizer = torch.optim.AdamW(network.parameters(), lr=options.rate, weight_decay=0.02)
    loss_of = nn.CTCLoss(zero_infinity=True)
    source = batches(lines, weights, np.random.default_rng(options.seed), 128 * 640)
    trained, step, mean = time.time(), 0, None
    while (done := (time.time() - trained) / options.seconds) < 1:
        warm = min(1, (step + 1) / 300)
        for group in optimizer.param_groups:
            group["lr"] = options.rate * warm * (0.02 + 0.98 * 0.5 * (1 + np.cos(np.pi * done)))
        ink, widths, targets, lengths = lines.batch(next(source))
        with torch.autocast(device.type, torch.bfloat16):
            logs = network(augment(ink))
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
        if step % 1000 == 0:
            say(f"step {step}, loss {mean:.3f}, {step / (time.time() - trained):.1f} a second")
    final = average.module.eval()
    final.read.flatten_parameters()
    steps = [*(start.get("steps", []) if start else []), step]
    torch.save({"letters": letters, "steps": steps, "weights": {name: value.cpu() for name, value in final.state_dict().items()}}, options.out / "model.pt")
    say(f"{step} steps")

    read = lambda ink: final(torch.from_numpy(ink).to(device)).float().cpu().numpy()  # noqa: E731
    figures = {name: judge(read, kept[:200], letters) for name, kept in judged.items()}
    say("CER %:", figures)
    export(final.cpu().float(), options.out, letters, judged, figures, say, steps=steps, lines=dict(sizes))


def export(network, out: Path, letters, judged, figures, say, name: str = "model", **facts) -> None:
    import onnxruntime
    from onnxruntime.quantization import QuantType, quantize_dynamic

    example = torch.zeros(1, 1, HEIGHT, 320)
    axes = {"ink": {0: "lines", 3: "width"}, "logs": {0: "lines", 1: "columns"}}
    torch.onnx.export(network, (example,), out / "model.onnx", input_names=["ink"], output_names=["logs"], dynamic_axes=axes, opset_version=17, dynamo=False)
    quantize_dynamic(out / "model.onnx", out / f"{name}.int8.onnx", op_types_to_quantize=["LSTM"], weight_type=QuantType.QInt8)
    session = onnxruntime.InferenceSession(out / f"{name}.int8.onnx", providers=["CPUExecutionProvider"])
    read = lambda ink: session.run(None, {"ink": ink.astype(np.float32)})[0]  # noqa: E731
    small = {kind: judge(read, kept[:60], letters) for kind, kept in judged.items()}
    say("int8, 60 lines each:", small)
    card = {
        "name": "print" if name == "model" else name,
        "about": "Reads one line of print, Fraktur or typescript in Czech, Slovak, German, French, English or Latin. Made by training/train.py.",
        **{"height": HEIGHT, "letters": letters, "parameters": sum(each.numel() for each in network.parameters())},
        **facts,
        "data": [{"name": kind, **SOURCES["data"].get(kind, {"origin": "pages of the user"})} for kind in facts["lines"]],
        **{"characterErrorRate": figures, "characterErrorRateInt8": small},
    }
    (out / f"{name}.json").write_text(json.dumps(card, ensure_ascii=False, indent=2) + "\n", encoding="utf8")
    (out / "model.onnx").unlink()


if __name__ == "__main__":
    main()
