"""What happens to lines on paper and in scanners, on the GPU, anew for each batch. Ink is 1, paper 0."""

import math

import torch
import torch.nn.functional as F


def uniform(count: int, low: float, high: float, device) -> torch.Tensor:
    return torch.rand(count, device=device) * (high - low) + low


def sometimes(count: int, share: float, device) -> torch.Tensor:
    return (torch.rand(count, device=device) < share).float()


def bend(lines: torch.Tensor) -> torch.Tensor:
    """Slant, size and place, waves of the baseline, and small local shifts."""
    count, _, height, width = lines.shape
    device = lines.device
    y = torch.linspace(-1, 1, height, device=device).view(1, height, 1)
    x = torch.linspace(0, width, width, device=device).view(1, 1, width)
    on = sometimes(count, 0.8, device)
    per = lambda values: (values * on).view(count, 1, 1)  # noqa: E731
    scale = 1 + per(uniform(count, -0.06, 0.75, device) * sometimes(count, 0.6, device))
    shift = per(uniform(count, -0.12, 0.12, device))
    wave = per(uniform(count, 0, 0.09, device)) * torch.sin(x * (2 * math.pi) / uniform(count, 150, 900, device).view(count, 1, 1) + uniform(count, 0, 6.3, device).view(count, 1, 1))
    tilt = per(uniform(count, -0.00018, 0.00018, device)) * (x - width / 2)
    slant = per(uniform(count, -7, 7, device)) * y
    coarse = F.interpolate(torch.randn(count, 2, 4, max(2, width // 24), device=device), (height, width), mode="bicubic", align_corners=False)
    strength = per(uniform(count, 0, 1.1, device) * sometimes(count, 0.5, device))
    grid_y = (y * scale + shift + wave + tilt).expand(count, height, width) + coarse[:, 0] * strength * (2 / height)
    grid_x = (x + slant + coarse[:, 1] * strength).expand(count, height, width) * (2 / width) - 1
    return F.grid_sample(lines, torch.stack((grid_x, grid_y), dim=3), align_corners=False, padding_mode="zeros")


def spread(lines: torch.Tensor) -> torch.Tensor:
    """Ink that ran, or did not reach."""
    count = lines.shape[0]
    device = lines.device
    thick = F.max_pool2d(lines, 3, 1, 1)
    thin = -F.max_pool2d(-lines, 3, 1, 1)
    amount = uniform(count, -0.55, 0.6, device) * sometimes(count, 0.45, device)
    amount = amount.view(count, 1, 1, 1)
    return lines + amount.clamp(min=0) * (thick - lines) + (-amount).clamp(min=0) * (thin - lines)


def blur(lines: torch.Tensor) -> torch.Tensor:
    count = lines.shape[0]
    kernel = 2 - (torch.arange(3.0, device=lines.device) - 1).abs()
    kernel = (kernel[:, None] * kernel[None, :] / 16).view(1, 1, 3, 3)
    soft = F.conv2d(lines, kernel, padding=1)
    softer = F.conv2d(soft, kernel, padding=1)
    amount = (uniform(count, 0, 1, lines.device) * sometimes(count, 0.5, lines.device)).view(count, 1, 1, 1)
    deep = sometimes(count, 0.3, lines.device).view(count, 1, 1, 1)
    lines = lines + amount * (soft + deep * (softer - soft) - lines)
    # Out of focus, or a carbon copy.
    worst = sometimes(count, 0.12, lines.device).view(count, 1, 1, 1)
    return lines + worst * (F.conv2d(F.conv2d(softer, kernel, padding=1), kernel, padding=1) * 1.25 - lines)


def soil(lines: torch.Tensor) -> torch.Tensor:
    """Patchy ink, the other side of the leaf, grain, spots, and binarising."""
    count, _, height, width = lines.shape
    device = lines.device
    per = lambda low, high, share: (uniform(count, low, high, device) * sometimes(count, share, device)).view(count, 1, 1, 1)  # noqa: E731
    patches = F.interpolate(torch.rand(count, 1, 5, max(2, width // 10), device=device), (height, width), mode="bilinear", align_corners=False)
    lines = lines * (1 - per(0, 0.8, 0.4) * patches)
    behind = torch.flip(lines[torch.rand(count, device=device).argsort()], dims=(3,))
    lines = torch.maximum(lines, behind * per(0.05, 0.45, 0.25))
    shade = F.interpolate(torch.rand(count, 1, 2, max(2, width // 60), device=device), (height, width), mode="bilinear", align_corners=False)
    lines = lines + per(0, 0.35, 0.3) * shade * (1 - lines)
    lines = lines + torch.randn_like(lines) * per(0.01, 0.18, 0.5)
    specks = (torch.rand_like(lines) < per(0.0005, 0.01, 0.2)).float()
    lines = torch.where(specks > 0, 1 - lines.clamp(0, 1), lines)
    lines = lines * (1 - per(0, 0.4, 0.4)) + per(0, 0.12, 0.3)
    hard = sometimes(count, 0.25, device).view(count, 1, 1, 1)
    threshold = uniform(count, 0.3, 0.65, device).view(count, 1, 1, 1)
    lines = torch.where(hard > 0, torch.sigmoid((lines - threshold) * 40), lines)
    # A stain or a tear over a few letters' width.
    start = uniform(count, 0, 1, device).view(count, 1, 1, 1) * width
    place = torch.arange(width, device=device).view(1, 1, 1, width)
    stained = ((place >= start) & (place < start + 5)).float() * sometimes(count, 0.08, device).view(count, 1, 1, 1)
    lines = torch.where(stained > 0, torch.rand(count, 1, 1, 1, device=device).round().expand_as(lines), lines)
    return lines.clamp(0, 1)


def augment(lines: torch.Tensor) -> torch.Tensor:
    return soil(blur(spread(bend(lines))))
