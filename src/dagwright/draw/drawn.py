"""What a graph that can be drawn offers: a file, a notebook's picture, a browser's."""

from __future__ import annotations

import sys
from os import PathLike
from pathlib import Path
from typing import Any

from dagwright._names import Edge
from dagwright.io.files import write_text

__all__ = ["Drawn"]


class Drawn:
    """A graph with pictures."""

    __slots__ = ()

    def _to_draw(self) -> tuple[tuple[str, ...], list[Edge], list[Edge]]:
        """Return the nodes, the edges with an arrowhead and those without."""
        raise NotImplementedError

    def to_svg(self, path: str | PathLike[str] | None = None, *, theme: str = "auto") -> str:
        """Draw the graph: layers of boxes, parents above children.

        Edges that go either way in the class of a graph have no arrowhead. Needs
        ``pip install 'dagwright[draw]'``. Notebooks show the same picture by themselves.

        Parameters
        ----------
        path : path, optional
            A file to write the picture to.
        theme : {"auto", "light", "dark"}
            The colours; "auto" leaves the choice to the viewer's settings.

        Returns
        -------
        str
            SVG; equal graphs give equal text.

        Examples
        --------
        >>> import dagwright as dw
        >>> picture = dw.Dag([("smoke", "cancer")]).to_svg(theme="dark")
        >>> picture.splitlines()[1]
        '<title>Graph: 2 nodes, 1 edge</title>'
        """
        from dagwright.draw.svg import svg_text

        nodes, directed, undirected = self._to_draw()
        text = svg_text(nodes, directed=directed, undirected=undirected, theme=theme)
        if path is not None:
            write_text(text, path)
        return text

    def plot(self, *, theme: str = "auto") -> Path | None:
        """Show the picture: below the cell in a notebook, elsewhere in the browser.

        Parameters
        ----------
        theme : {"auto", "light", "dark"}
            The colours; "auto" leaves the choice to the viewer's settings.

        Returns
        -------
        Path or None
            The file that the browser was given, which stays; None in a notebook.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.Dag([("smoke", "cancer")]).plot()  # doctest: +SKIP
        """
        text = self.to_svg(theme=theme)
        notebook = _notebook()
        if notebook is not None:
            notebook.display(notebook.SVG(text))
            return None
        import tempfile
        import webbrowser

        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", prefix="dagwright-", suffix=".svg", delete=False
        ) as file:
            file.write(text)
        path = Path(file.name)
        if not webbrowser.open(path.as_uri()):
            print(f"No browser was found: the picture is in {path}", file=sys.stderr)
        return path

    def _repr_svg_(self) -> str | None:
        """Draw for a notebook, which shows the text instead where there is no picture."""
        from dagwright.draw.svg import notebook_svg

        _, directed, undirected = self._to_draw()
        return notebook_svg(self.to_svg, len(directed) + len(undirected))


def _notebook() -> Any:
    """Return IPython's `display` module where a cell shows what it is given, else None."""
    ipython: Any = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return ipython.display if hasattr(shell, "kernel") else None  # a terminal has no kernel
