"""What mkdocs is given besides docs/: a page for each command, made from its parser, and one for each finding."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

PACKAGING = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PACKAGING / "from_parsers"))

from command_pages import command_page  # noqa: E402
from commands_read import GROUPS, RULES, read_commands  # noqa: E402

DOCS = PACKAGING.parent / "docs"
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:|#)([^)#]+)[^)]*\)")


def findings() -> dict[str, str]:
    """Names of pages, and what stands on them."""
    return {f"findings/{path.stem.replace('_', '-')}.md": path.read_text() for path in sorted(RULES.glob("*.md"))}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """What is made, and the decisions, join the menu."""
    menu: dict[str, list[Any]] = {title: pages for section in config.nav or [] for title, pages in section.items()}
    commands = [{title: [f"commands/{name}.md" for name in names]} for title, names in GROUPS.items()]
    menu["Reference"] += [{"Commands": commands}, {"Findings": list(findings())}]
    decisions = sorted(path.name for path in (DOCS / "decisions").glob("*.md"))
    menu["Explanation"][-1]["Decisions"] = [
        f"decisions/{name}" for name in sorted(decisions, key=lambda name: name[0] != "R")
    ]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for command in read_commands():
        files.append(File.generated(config, f"commands/{command.name}.md", content=command_page(command)))
    for name, text in findings().items():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """What lies in the repository beside docs/ is no part of the site: its name stays, without a link."""
    folder = (DOCS / page.file.src_uri).parent

    def shown(link: re.Match[str]) -> str:
        return link[0] if (folder / link[2]).resolve().is_relative_to(DOCS) else link[1]

    return LINK.sub(shown, markdown)
