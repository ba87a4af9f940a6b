"""Read the documentation that is installed with Clearway.

clearway docs                    lists the pages
clearway docs troubleshooting    prints one
clearway docs --path flow        prints where its file is
"""

from __future__ import annotations

import argparse
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.base.nearest import did_you_mean

FIRST = ("tutorials", "how-to")  # folders whose pages are listed before all others


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("page", metavar="PAGE", nargs="?", help="name of the page (default: list them all)")
    parser.add_argument("--path", action="store_true", help="print the path of its file instead")


def run(arguments: argparse.Namespace) -> int:
    from rich.markdown import Markdown

    from clearway.base.console import open_console
    from clearway.base.installed import find_documentation

    folder = find_documentation()
    file = _file_of(folder, arguments.page) if arguments.page else folder
    if arguments.path:
        print(file)
    elif file.is_dir():
        _list(file)
    elif file.suffix == ".md" and (console := open_console()).is_terminal:
        console.print(Markdown(file.read_text(encoding="utf-8")))
    else:
        print(file.read_text(encoding="utf-8"), end="")
    return 0


def _file_of(folder: Path, page: str) -> Path:
    for name in (f"{page}.md", page):
        file = (folder / name).resolve()
        if file.exists() and file.is_relative_to(folder.resolve()):
            return file
    pages = [str(path.relative_to(folder).with_suffix("")) for path in sorted(folder.rglob("*.md"))]
    hint = did_you_mean(page, pages, "`clearway docs` lists them all")
    raise ClearwayError(f"there is no page '{page}'", hint)


def _list(folder: Path) -> None:
    """What a newcomer reads first, then pages with their titles, then files of other kinds and folders of more."""
    firsts = [folder / name for name in FIRST if (folder / name).is_dir()]
    pages = sorted(folder.glob("*.md"))
    groups = [group for group in (*(sorted(first.glob("*.md")) for first in firsts), pages) if group]
    others = [path for path in sorted(folder.iterdir()) if path not in (*firsts, *pages)]
    names = {path: str(path.relative_to(folder).with_suffix("")) for group in groups for path in group}
    width = max(map(len, names.values()), default=0)
    for number, group in enumerate(groups):
        if number:
            print()
        for path in group:
            with path.open(encoding="utf-8") as lines:
                print(f"{names[path]:<{width}}  {lines.readline().lstrip('# ').strip()}")
    for path in others:
        print(f"{path.name}/" if path.is_dir() else path.name)
