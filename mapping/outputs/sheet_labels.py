"""Where words go on a sheet: beside what they name, inside the frame, and not over each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import shapely
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from mapping.outputs.files import printable
from mapping.outputs.sheet_grid import Box
from mapping.outputs.sheet_symbols import Canvas

Boxes = npt.NDArray[np.float64]
"""Rows of left, bottom, right, top in inches of paper from the frame's corner."""
REACHES = (0.09, 0.16, 0.27, 0.42, 0.6)
"""Inches from a point to its label: the first that is free is taken; from the second on a line leads there."""
ANGLES = (35, -35, 145, -145, 0, 180, 90, -90)
"""Degrees from east at which a label is tried, the upper right first, as maps do."""


EDGE_IN = 0.03
"""Inches that words keep from the frame and from match lines."""


@cache
def text_size(text: str, size: float, weight: str = "normal") -> tuple[float, float]:
    """Width and height in inches of one line of text; italics are as wide as upright letters."""
    font = FontProperties(family="DejaVu Sans", size=size, weight=weight)
    width, _, _ = text_to_path.get_text_width_height_descent(text, font, ismath=False)
    return width / 72, size * 1.1 / 72


@dataclass
class Labels:
    """The words of one sheet; `taken` is where something stands already, `soft` where words stand only if they must.

    `view` is the ground in the frame, `tile` that within the match lines: no word crosses them.
    """

    canvas: Canvas
    view: Box
    tile: Box
    taken: Boxes = field(default_factory=lambda: np.empty((0, 4)))
    soft: Boxes = field(default_factory=lambda: np.empty((0, 4)))

    def keep_clear(self, points: npt.NDArray[np.float64], size_px: float, *, soft: bool = False) -> None:
        """Marks where point symbols stand, given in ground coordinates."""
        at = self._paper(points)
        half = self.canvas.points(size_px) / 72 / 2
        boxes = np.hstack([at - half, at + half])
        if soft:
            self.soft = np.vstack([self.soft, boxes])
        else:
            self.taken = np.vstack([self.taken, boxes])

    def name_point(self, x: float, y: float, text: str, size: float, **look: Any) -> bool:
        """Writes a label near a point, with a line to it where it stands further off; False where there is no room."""
        text = printable(text, limit=60)
        wide, high = text_size(text, size * self.canvas.size, look.get("weight", "normal"))
        at = self._paper(np.array([[x, y]]))[0]
        for careful in (True, False):
            for reach, middle in self._places(at, wide, high):
                half = np.array([wide, high]) / 2
                box = np.concatenate([middle - half, middle + half])[None]
                if self._is_free(box, careful=careful):
                    self.taken = np.vstack([self.taken, box])
                    self._write(text, size, middle, 0.0, at if reach > REACHES[0] else None, (wide, high), look)
                    return True
        return False

    def name_line(self, line: shapely.Geometry, text: str, size: float, **look: Any) -> bool:
        """Writes a label along the longest part of a line that lies on the sheet; False where it does not fit."""
        text = printable(text, limit=60)
        wide, high = text_size(text, size * self.canvas.size)
        part = max(shapely.get_parts(shapely.clip_by_rect(line, *self.tile)), key=lambda p: p.length, default=None)
        if part is None or part.length / self.canvas.unit < wide * 1.1:
            return False
        for share in (0.5, 0.35, 0.65, 0.2, 0.8):
            ends = [part.interpolate(part.length * share + sign * wide / 2 * self.canvas.unit) for sign in (-1, 1)]
            start, end = self._paper(np.array([[p.x, p.y] for p in ends]))
            if np.hypot(*(end - start)) < wide * 0.9:
                continue  # the line bends too much for a straight word
            angle = float(np.degrees(np.arctan2(*(end - start)[::-1])))
            angle = angle - 180 if angle > 90 else angle + 180 if angle < -90 else angle
            if self._along((start + end) / 2, angle, wide, high, text, size, look):
                return True
        return False

    def name_area(self, area: shapely.Geometry, text: str, size: float, **look: Any) -> bool:
        """Writes a label inside the part of an area that lies on the sheet; False where it does not fit."""
        text = printable(text, limit=60)
        part = shapely.clip_by_rect(area, *self.tile)
        if part.is_empty:
            return False
        place = shapely.maximum_inscribed_circle(part, tolerance=0.02 * self.canvas.unit).coords[0]
        wide, high = text_size(text, size * self.canvas.size)
        return self._along(self._paper(np.array([place]))[0], 0.0, wide, high, text, size, look)

    def _places(
        self, at: npt.NDArray[np.float64], wide: float, high: float
    ) -> Iterator[tuple[float, npt.NDArray[np.float64]]]:
        """Middles of a label around a point, the near ones first."""
        for reach in REACHES:
            for angle in np.radians(ANGLES):
                way = np.array([np.cos(angle), np.sin(angle)])
                side = np.sign(np.round(way, 2)) * [wide / 2, high / 2]
                yield reach, at + way * reach * self.canvas.size + side

    def _along(
        self,
        middle: npt.NDArray[np.float64],
        angle: float,
        wide: float,
        high: float,
        text: str,
        size: float,
        look: dict[str, Any],
    ) -> bool:
        """Writes a turned label if the row of small boxes that it covers is free."""
        way = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
        steps = np.linspace(-wide / 2, wide / 2, max(int(np.ceil(wide / high)), 2))
        middles = middle + steps[:, None] * way
        boxes = np.hstack([middles - high / 2, middles + high / 2])
        if not self._is_free(boxes, careful=True):
            return False
        self.taken = np.vstack([self.taken, boxes])
        self._write(text, size, middle, angle, None, (wide, high), look)
        return True

    def _is_free(self, boxes: Boxes, *, careful: bool) -> bool:
        left_bottom, right_top = self._paper(np.array([self.tile[:2], self.tile[2:]]))
        if (boxes[:, :2] < left_bottom + EDGE_IN).any() or (boxes[:, 2:] > right_top - EDGE_IN).any():
            return False
        others = np.vstack([self.taken, self.soft]) if careful else self.taken
        left_of = boxes[:, None, 2] <= others[None, :, 0]
        right_of = boxes[:, None, 0] >= others[None, :, 2]
        below = boxes[:, None, 3] <= others[None, :, 1]
        above = boxes[:, None, 1] >= others[None, :, 3]
        return bool((left_of | right_of | below | above).all())

    def _write(
        self,
        text: str,
        size: float,
        middle: npt.NDArray[np.float64],
        angle: float,
        leads_to: npt.NDArray[np.float64] | None,
        extent: tuple[float, float],
        look: dict[str, Any],
    ) -> None:
        x, y = self._ground(middle)
        if leads_to is not None:
            nearest = np.clip(leads_to, middle - np.array(extent) / 2, middle + np.array(extent) / 2)
            ends = np.array([self._ground(leads_to), self._ground(nearest)])
            self.canvas.axes.plot(ends[:, 0], ends[:, 1], color="#444444", linewidth=0.4 * self.canvas.size, zorder=8.9)
        look = {"bbox": {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.6}} | look
        self.canvas.write(
            x, y, text, size, rotation=angle, rotation_mode="anchor", ha="center", va="center", zorder=9, **look
        )

    def _paper(self, points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        paper: npt.NDArray[np.float64] = (points - np.array(self.view[:2])) / self.canvas.unit
        return paper

    def _ground(self, point: npt.NDArray[np.float64]) -> tuple[float, float]:
        x, y = np.array(self.view[:2]) + point * self.canvas.unit
        return float(x), float(y)
