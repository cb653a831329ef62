"""Explorations step by step."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _litmoscope as _engine
from ._execution import STYLE, themed

if TYPE_CHECKING:
    from . import Program

#: How many steps a slider has, at most.
MOST = 10_000


@dataclass(frozen=True)
class Seen:
    """What there is to see after so many steps: the last one's ``name``, what it does in ``words``, and a ``link`` that opens the page there."""

    position: int
    name: str
    words: str
    link: str = field(repr=False)
    _light: str = field(repr=False)
    _dark: str = field(repr=False)

    def svg(self, theme: str = "light") -> str:
        """The page's drawing: ``light`` or ``dark``."""
        return {"light": self._light, "dark": self._dark}[theme]

    @property
    def html(self) -> str:
        """The drawing below the words."""
        return f"<p><b>{escape(self.name)}</b> {escape(self.words)}</p>{themed(self._light, self._dark, self.words)}"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self.html}


class Steps:
    """An exploration step by step, as the page has it: by position, from 0.

    >>> steps = Steps("x := 1; a := y || y := 1; b := x", model="tso")
    >>> steps[1].name, steps[1].words
    ('add event', 'P0 is the left-most thread that can go on: P0.1 W(x,1) is added.')

    In a notebook it shows as a slider, if ``anywidget`` is there. Positions are explored when they are asked for; going back repeats a small part. Raises
    :class:`LitmoscopeError` if the text or a choice is wrong.
    """

    def __init__(
        self, program: Program | str, *, model: str | None = None, algorithm: str | None = None, unroll: int | None = None
    ) -> None:
        text = program if isinstance(program, str) else program.text
        self._steps = _engine.Steps(text, model, algorithm, unroll)

    def __getitem__(self, position: int) -> Seen:
        """What there is to see at a position. Raises :class:`IndexError` behind the end."""
        if position < 0 or self._steps.know(position)[0] < position:
            raise IndexError(f"there is no step {position}")
        position, name, words, light, dark, link = self._steps.at(position)
        return Seen(position, name, words, link, light, dark)

    def known(self, most: int = MOST) -> tuple[int, bool]:
        """Explores so many steps: how many there are then, and whether these are all."""
        return self._steps.know(most)

    def slider(self, most: int = MOST) -> Any:
        """A slider for notebooks, for so many steps. Needs ``anywidget``."""
        import anywidget
        import traitlets

        steps, (last, whole) = self, self.known(most)

        class Slider(anywidget.AnyWidget):
            _esm = Path(__file__).with_name("_slider.js")
            _css = STYLE + Path(__file__).with_name("_slider.css").read_text(encoding="utf-8")
            position = traitlets.Int(0).tag(sync=True)
            last = traitlets.Int(0).tag(sync=True)
            whole = traitlets.Bool(True).tag(sync=True)
            seen = traitlets.Dict().tag(sync=True)

            @traitlets.observe("position")
            def _look(self, _: object) -> None:
                one = steps[max(0, min(self.position, self.last))]
                self.seen = {
                    "position": one.position,
                    "name": one.name,
                    "words": one.words,
                    "light": one.svg("light"),
                    "dark": one.svg("dark"),
                }

        slider = Slider(last=last, whole=whole)
        slider._look(None)
        return slider

    def _repr_mimebundle_(self, **options: Any) -> Any:
        try:
            slider = self.slider()
        except ImportError:
            return self[0]._repr_mimebundle_()
        return slider._repr_mimebundle_(**options)
