"""The average of several models with the same letters, as one model in 8 bits:
    python3 average.py --models a.onnx b.onnx c/model.pt --shares 0.25 0.25 0.5 --lines LINES --pack PACK --out OUT
Models that went on from one another stay good between them: what a training forgot comes back, and less is lost in 8 bits.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
import torch

from export import export
from exported import CONVOLUTIONS, card_of, load_exported
from lines import read_packed, split
from network import Recogniser
from render import Drawing, drawn
from train import JUDGED, PLAN, SOURCES, widened


def folded(network: Recogniser) -> dict[str, torch.Tensor]:
    """The weights with norms as part of the convolutions, where averages mean something."""
    state = {name: value.clone() for name, value in network.state_dict().items()}
    for convolution, norm in CONVOLUTIONS.items():
        gain = state[f"{norm}.weight"] / (state[f"{norm}.running_var"] + 1e-5).sqrt()
        state[f"{convolution}.weight"] *= gain[:, None, None, None]
        state[f"{norm}.bias"] -= state[f"{norm}.running_mean"] * gain
        state[f"{norm}.weight"].fill_(float(np.sqrt(1 + 1e-5)))
        state[f"{norm}.running_mean"].zero_()
        state[f"{norm}.running_var"].fill_(1)
    return state


def load(path: Path) -> tuple[dict[str, torch.Tensor], list[str], int]:
    if path.suffix == ".pt":
        saved = torch.load(path, map_location="cpu")
        network = Recogniser(len(saved["letters"])).eval()
        network.load_state_dict(saved["weights"])
        return folded(network), saved["letters"], saved["steps"]
    network, letters = load_exported(path)
    return network.state_dict(), letters, json.loads(card_of(path).read_text(encoding="utf8")).get("steps", 0)


def average(models: list[tuple[dict, list[str], int]], shares: list[float]) -> dict[str, torch.Tensor]:
    """A model that knows fewer letters takes the others from the one that knows most."""
    most = max(models, key=lambda model: len(model[1]))
    whole = []
    for weights, letters, _ in models:
        if letters != most[1][: len(letters)]:
            raise SystemExit("the models have different letters")
        network = Recogniser(len(most[1]))
        network.load_state_dict(most[0])
        whole.append(widened(weights, network))
    return {
        name: sum(share / sum(shares) * weights[name] for share, weights in zip(shares, whole)) if value.is_floating_point() else value
        for name, value in most[0].items()
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--models", type=Path, nargs="+", required=True)
    parser.add_argument("--shares", type=float, nargs="+", required=True)
    parser.add_argument("--pack", type=Path, required=True)
    parser.add_argument("--lines", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    if len(options.models) != len(options.shares):
        raise SystemExit("each model needs a share")
    begun = time.time()
    say = lambda *words: print(f"{time.time() - begun:6.1f} s", *words, flush=True)  # noqa: E731
    options.out.mkdir(parents=True, exist_ok=True)
    drawing, judging = Drawing(options.pack, "train", 10), Drawing(options.pack, "judge", 2)
    jobs = drawing.order(2_000, PLAN, 5)
    to_judge = {name: judging.order(300, plan, 99) for name, plan in JUDGED.items()}
    models = [load(path) for path in options.models]
    letters = max((letters for _, letters, _ in models), key=len)
    network = Recogniser(len(letters)).eval()
    network.load_state_dict(average(models, options.shares))
    judged, examples = {}, {"drawn": [image for image, _ in drawn(jobs)]}
    for name, held_out in SOURCES["held_out_lines"].items():
        if (options.lines / f"{name}.tsv").exists():
            train, kept = split(read_packed(options.lines, name), held_out)
            examples[name], judged[name] = [image for image, _, _ in train], [(image, text) for image, text, _ in kept]
    judged |= {name: drawn(own)[:300] for name, own in to_judge.items()}
    sizes = {name: len(images) for name, images in examples.items()}
    export(network, options.out, letters, examples, judged, say, steps=max(steps for _, _, steps in models), lines=sizes)


if __name__ == "__main__":
    main()
