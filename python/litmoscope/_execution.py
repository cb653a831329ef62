"""Execution graphs."""

from __future__ import annotations

import json
from base64 import b64encode
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

from ._litmoscope import Graph

if TYPE_CHECKING:
    import networkx
    import numpy


# JupyterLab and VS Code say which theme they have; elsewhere it is that of the system. Where styles are taken away, the light one stays.
STYLE = """
.litmoscope-dark { display: none; }
@media (prefers-color-scheme: dark) {
  .litmoscope-dark { display: inline !important; }
  .litmoscope-light { display: none; }
}
[data-jp-theme-light="true"] .litmoscope-dark, .vscode-light .litmoscope-dark { display: none !important; }
[data-jp-theme-light="true"] .litmoscope-light, .vscode-light .litmoscope-light { display: inline !important; }
[data-jp-theme-light="false"] .litmoscope-dark, .vscode-dark .litmoscope-dark { display: inline !important; }
[data-jp-theme-light="false"] .litmoscope-light, .vscode-dark .litmoscope-light { display: none !important; }
"""


def themed(light: str, dark: str, words: str) -> str:
    """A drawing in the colours of the notebook: two pictures, of which its theme shows one."""

    def picture(svg: str, theme: str, style: str) -> str:
        data = b64encode(svg.encode()).decode()
        return f'<img class="litmoscope-{theme}" alt="{escape(words)}" src="data:image/svg+xml;base64,{data}"{style}>'

    dark_picture = picture(dark, "dark", ' style="display: none"')
    return f"<style>{STYLE}</style>{picture(light, 'light', '')}{dark_picture}"


class Execution:
    """An execution graph: events, and relations between them.

    ``kind`` is ``complete``, ``blocked``, ``stuck`` or ``erroneous``; of what a :class:`Result` keeps, ``first``, ``violation`` or ``witness``.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self.kind = graph.kind

    @cached_property
    def json(self) -> dict[str, Any]:
        """All of it as data: events and relations by the events' names."""
        return dict(json.loads(self._graph.json()))

    @property
    def events(self) -> list[dict[str, Any]]:
        """The events, initial writes first, then thread by thread, each with ``name``, ``label``, ``thread``, ``kind``, ``location``, ``value_read``,
        ``value_written``, ``mode`` and ``line``."""
        return list(self.json["events"])

    @cached_property
    def relations(self) -> dict[str, list[tuple[int, int]]]:
        """By relation: its edges, as indices of :attr:`events`.

        ``po`` and ``co`` have neighbours alone, and so have other transitive relations: edges that do not follow from others.
        """
        index = {event["name"]: at for at, event in enumerate(self.events)}

        def edges(pairs: list[list[str]]) -> list[tuple[int, int]]:
            return [(index[source], index[target]) for source, target in pairs]

        orders = (self.json["co"] or {}).values()
        co = [[before, after] for order in orders for before, after in zip(order, order[1:])]
        given = {"po": edges(self.json["po"]), "rf": edges(self.json["rf"]), "co": edges(co)}
        return given | {name: edges(pairs) for name, pairs in self.json["derived"].items()}

    def matrix(self, relation: str) -> numpy.ndarray[Any, numpy.dtype[numpy.bool_]]:
        """A relation as a Boolean matrix of NumPy, from row to column, both indices of :attr:`events`. Needs NumPy.

        Raises :class:`KeyError` if there is no such relation here.
        """
        import numpy

        edges = self.relations[relation]
        matrix = numpy.zeros((len(self.events), len(self.events)), dtype=numpy.bool_)
        if edges:
            rows, columns = zip(*edges)
            matrix[list(rows), list(columns)] = True
        return matrix

    def networkx(self) -> networkx.MultiDiGraph[str]:
        """All relations as a graph of NetworkX: nodes are the events' names, with what events have; edges have a ``relation``. Needs NetworkX."""
        import networkx

        graph: networkx.MultiDiGraph[str] = networkx.MultiDiGraph()
        for event in self.events:
            graph.add_node(event["name"], **{key: value for key, value in event.items() if key != "name"})
        names = [event["name"] for event in self.events]
        for relation, edges in self.relations.items():
            graph.add_edges_from((names[source], names[target], {"relation": relation}) for source, target in edges)
        return graph

    @property
    def text(self) -> str:
        """A column for each thread, then the relations in lines."""
        return self._graph.text()

    def svg(self, theme: str = "light") -> str:
        """The page's drawing: ``light``, ``dark`` or ``contrast``."""
        return self._graph.svg(theme)

    def __repr__(self) -> str:
        return f"<Execution {self.kind}: {len(self.events)} events>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        light, dark = self.svg("light"), self.svg("dark")
        return {"text/plain": repr(self), "image/svg+xml": light, "text/html": themed(light, dark, repr(self))}
