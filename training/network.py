"""The recogniser's network: convolutions over a line 40 pixels high, two bidirectional LSTMs, CTC."""

import torch
from torch import nn


def block(inputs: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True))


class Residual(nn.Module):
    def __init__(self, inputs: int, outputs: int, stride: tuple[int, int]):
        super().__init__()
        self.first = nn.Conv2d(inputs, outputs, 3, padding=1, stride=stride, bias=False)
        self.second = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.short = nn.Conv2d(inputs, outputs, 1, stride=stride, bias=False)
        self.norms = nn.ModuleList(nn.BatchNorm2d(outputs) for _ in range(3))

    def forward(self, image):
        inner = torch.relu(self.norms[0](self.first(image)))
        return torch.relu(self.norms[1](self.second(inner)) + self.norms[2](self.short(image)))


class Recogniser(nn.Module):
    """Ink as 1, paper as 0, [batch, 1, 40, width] -> logarithms of probabilities, [batch, width / 4, classes]; class 0 is blank."""

    def __init__(self, classes: int):
        super().__init__()
        # Multiples of 16 channels: what processors take at a time.
        self.look = nn.Sequential(
            block(1, 16), nn.MaxPool2d(2), block(16, 48), nn.MaxPool2d(2),
            Residual(48, 80, (1, 1)), Residual(80, 128, (2, 1)),
        )
        self.collapse = nn.Sequential(nn.Conv2d(128, 256, (5, 1), bias=False), nn.BatchNorm2d(256), nn.ReLU(inplace=True))
        self.drop = nn.Dropout(0.15)
        self.read = nn.LSTM(256, 256, num_layers=2, bidirectional=True, batch_first=True, dropout=0.15)
        self.tell = nn.Linear(512, classes)

    def forward(self, image):
        columns = self.collapse(self.look(image)).squeeze(2).transpose(1, 2)
        states, _ = self.read(self.drop(columns))
        return torch.log_softmax(self.tell(states).float(), dim=2)
