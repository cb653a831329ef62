"""Outcomes as a table."""

from __future__ import annotations

from html import escape

from . import _litmoscope as _engine


class Table(dict[str, "list[int | None]"]):
    """A table of whole numbers: its columns by their names, in their order.

    ``pandas.DataFrame(table)`` and ``polars.DataFrame(table)`` take it, and so does whatever reads Arrow streams: ``pyarrow.table(table)``. None of these
    packages is needed.
    """

    @property
    def rows(self) -> list[tuple[int | None, ...]]:
        """The rows, in their order."""
        return list(zip(*self.values(), strict=True))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The table for whoever reads Arrow streams: each column has 64-bit integers. Another schema is for the reader to convert to."""
        return _engine.arrow(list(self.items()))

    def __repr__(self) -> str:
        return f"<Table of {', '.join(self)}: {len(self.rows)} rows>"

    def _repr_html_(self) -> str:
        def line(cells: list[str], tag: str) -> str:
            return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"

        rows = (line(["" if value is None else str(value) for value in row], "td") for row in self.rows)
        return f"<table><thead>{line(list(self), 'th')}</thead><tbody>{''.join(rows)}</tbody></table>"
