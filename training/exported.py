"""The weights of a network from the file that Pismak runs, to go on from it. They are rounded to 8 bits there, which training mends."""

import json
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from network import Recogniser

CONVOLUTIONS = {
    "look.0.0": "look.0.1", "look.2.0": "look.2.1",
    "look.4.first": "look.4.norms.0", "look.4.second": "look.4.norms.1", "look.4.short": "look.4.norms.2",
    "look.5.first": "look.5.norms.0", "look.5.second": "look.5.norms.1", "look.5.short": "look.5.norms.2",
    "collapse.0": "collapse.1",
}


def card_of(path: Path) -> Path:
    return path.with_name(path.name.split(".")[0] + ".json")


def load_exported(path: Path) -> tuple[Recogniser, list[str]]:
    """The network, to be trained with its norms as they are (`eval`), and its letters. Norms are part of the convolutions in the file."""
    letters = json.loads(card_of(path).read_text(encoding="utf8"))["letters"]
    graph = onnx.load(path).graph
    values = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    values |= {node.output[0]: numpy_helper.to_array(node.attribute[0].t) for node in graph.node if node.op_type == "Constant"}
    values |= {node.output[0]: dequantised(node, values) for node in graph.node if node.op_type == "DequantizeLinear" and node.input[0] in values}
    network = Recogniser(len(letters)).eval()
    state = network.state_dict()
    for node in graph.node:
        if node.op_type != "Conv":
            continue
        weight, bias = values[node.input[1]], values[node.input[2]]
        # Each convolution has a shape of its own.
        [name] = [one for one in CONVOLUTIONS if tuple(state[f"{one}.weight"].shape) == weight.shape]
        norm = CONVOLUTIONS[name]
        state[f"{name}.weight"] = torch.tensor(weight)
        state[f"{norm}.bias"] = torch.tensor(bias)
        state[f"{norm}.weight"] = torch.full((len(bias),), float(np.sqrt(1 + 1e-5)))
        state[f"{norm}.running_mean"] = torch.zeros(len(bias))
        state[f"{norm}.running_var"] = torch.ones(len(bias))
    for layer, node in enumerate(one for one in graph.node if "LSTM" in one.op_type):
        inputs, hidden, bias = (values[node.input[at]] for at in (1, 2, 3))
        if node.op_type != "LSTM":
            scales = [values[node.input[at]] for at in (8, 9, 10, 11)]
            inputs, hidden = floats(inputs, *scales[:2]), floats(hidden, *scales[2:])
        half = bias.shape[1] // 2
        for direction, suffix in enumerate(("", "_reverse")):
            state[f"read.weight_ih_l{layer}{suffix}"] = gates(inputs[direction])
            state[f"read.weight_hh_l{layer}{suffix}"] = gates(hidden[direction])
            state[f"read.bias_ih_l{layer}{suffix}"] = gates(bias[direction][:half])
            state[f"read.bias_hh_l{layer}{suffix}"] = gates(bias[direction][half:])
    last = [node for node in graph.node if node.op_type in ("MatMul", "Gemm")][-1]
    weight = values[last.input[1]]
    state["tell.weight"] = torch.tensor(weight.T if weight.shape[0] == 512 else weight)
    biases = [values[one] for node in graph.node if node.op_type in ("Add", "Gemm") for one in node.input if one in values and values[one].shape == (len(letters),)]
    state["tell.bias"] = torch.tensor(biases[-1])
    network.load_state_dict(state)
    return network, letters


def wake(network: Recogniser, inks: list[torch.Tensor]) -> None:
    """Norms that are part of the convolutions become norms again, which a whole training moves. The network answers as before: what the norms see of these lines on average
    is what they take away first and add again."""
    seen: dict[torch.nn.Module, list[torch.Tensor]] = {}

    def note(norm, values):
        seen.setdefault(norm, []).append(torch.stack([values[0].mean((0, 2, 3)), values[0].square().mean((0, 2, 3))]))

    hooks = [module.register_forward_pre_hook(note) for module in network.modules() if isinstance(module, torch.nn.BatchNorm2d)]
    with torch.no_grad():
        for ink in inks:
            network(ink)
        for norm, values in seen.items():
            mean, square = torch.stack(values).mean(0)
            norm.running_mean.copy_(mean)
            norm.running_var.copy_(square - mean.square())
            norm.weight.copy_((norm.running_var + norm.eps).sqrt())
            norm.bias.add_(mean)
    for hook in hooks:
        hook.remove()


def dequantised(node, values: dict) -> np.ndarray:
    """Weights of a convolution have a scale for each channel."""
    rounded, scale, zero = (values[name].astype(np.float32) for name in node.input)
    shape = (-1,) + (1,) * (rounded.ndim - 1)
    return (rounded - zero.reshape(shape)) * scale.reshape(shape)


def floats(rounded: np.ndarray, scale: np.ndarray, zero: np.ndarray) -> np.ndarray:
    """From 8 bits, and as ONNX has weights without rounding: [direction, gates, inputs]."""
    shape = (scale.shape[0], 1, -1)
    return ((rounded.astype(np.float32) - zero.astype(np.float32).reshape(shape)) * scale.reshape(shape)).transpose(0, 2, 1)


def gates(values: np.ndarray) -> torch.Tensor:
    """ONNX: input, output, forget, cell. PyTorch: input, forget, cell, output."""
    one, out, forget, cell = np.split(values, 4, axis=0)
    return torch.tensor(np.concatenate([one, forget, cell, out]))
