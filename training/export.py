"""The network as the file that Pismak runs, with everything that takes time in 8 bits, and its card."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnx

# Before it is loaded: otherwise it reports to its makers.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
import onnxruntime
import torch
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static

from judging import ink_of, judge, spread
from lines import HEIGHT

SOURCES = json.loads((Path(__file__).parent / "sources.json").read_text())
# Lines of each kind that the network is judged on.
JUDGED = 200
# Lines of each kind that tell how large the values between the convolutions become.
EXAMPLES = 60
# With fewer lines to choose from (one's own pages), convolutions stay in 32 bits: 47 lines told too little, and errors grew by half.
FEWEST = 5_000


class Examples(CalibrationDataReader):
    def __init__(self, images: list[np.ndarray]):
        self.inks = ({"ink": ink_of(image)} for image in images)

    def get_next(self):
        return next(self.inks, None)


def export(network, out: Path, letters, examples: dict[str, list[np.ndarray]], judged, say, name: str = "model", **facts) -> None:
    """`examples`: images of lines that the network learned from, by kind."""
    axes = {"ink": {0: "lines", 3: "width"}, "logs": {0: "lines", 1: "columns"}}
    whole, part = out / "float.onnx", out / "part.onnx"
    torch.onnx.export(network, (torch.zeros(1, 1, HEIGHT, 320),), whole, input_names=["ink"], output_names=["logs"], dynamic_axes=axes, opset_version=17, dynamo=False)
    convolutions = [node.name for node in onnx.load(whole).graph.node if node.op_type == "Conv"]
    if enough := sum(map(len, examples.values())) >= FEWEST:
        # The first one sees the line itself and takes little time. Weights have 7 bits: processors without VNNI would overflow with 8.
        quantize_static(
            whole, part, Examples([image for images in examples.values() for image in spread(images, EXAMPLES)]), quant_format=QuantFormat.QDQ, op_types_to_quantize=["Conv"], nodes_to_quantize=convolutions[1:],
            per_channel=True, reduce_range=True, activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8,
        )
    quantize_dynamic(part if enough else whole, out / f"{name}.int8.onnx", op_types_to_quantize=["LSTM"], weight_type=QuantType.QInt8)
    figures = errors_of(whole, judged, letters)
    say("errors per 100 letters:", figures)
    small = errors_of(out / f"{name}.int8.onnx", judged, letters)
    say("in 8 bits:", small)
    card = {
        "name": "print" if name == "model" else name,
        "about": "Reads one line of print, Fraktur or typescript in Czech, Slovak, German, French, English or Latin. Made by training/train.py.",
        **{"height": HEIGHT, "letters": letters, "parameters": sum(each.numel() for each in network.parameters())},
        **facts,
        "data": [{"name": kind, **described(kind)} for kind in facts["lines"]],
        **{"characterErrorRate": figures, "characterErrorRateInt8": small},
    }
    (out / f"{name}.json").write_text(json.dumps(card, ensure_ascii=False, indent=2) + "\n", encoding="utf8")
    for path in (whole, part):
        path.unlink(missing_ok=True)


def errors_of(path: Path, judged, letters) -> dict[str, float]:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    read = lambda ink: session.run(None, {"ink": ink.astype(np.float32)})[0]  # noqa: E731
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        return {kind: judge(read, spread(kept, JUDGED), letters, threads.map) for kind, kept in judged.items()}


def described(kind: str) -> dict:
    known = SOURCES["data"].get(kind, {"origin": "pages of the user"})
    return {key: value for key, value in known.items() if key != "share"}
