"""What must stand beside data of the OEIS: whose it is, and under which licence. It does not know what was fetched."""

from __future__ import annotations

from pathlib import Path

from pytest_llmarith.files import replace_file

FILE = "NOTICE.md"
TEXT = """\
# Whose data this is

The entries in this folder, `A*.json`, come from
[The On-Line Encyclopedia of Integer Sequences](https://oeis.org/) (OEIS), published by The OEIS Foundation Inc. Who
wrote a sequence down stands in its entry (field `author`), or on its page, such as <https://oeis.org/A000045>.

They are available under the
[Creative Commons Attribution-ShareAlike 4.0](https://creativecommons.org/licenses/by-sa/4.0/) licence
(CC BY-SA 4.0), whose terms hold for whoever passes them on: name the OEIS, link to the licence, say what was changed,
and share under the same licence. See also <https://oeis.org/LICENSE>.

Entries are kept as they arrived, with one exception: of an entry that was imported from a `.seq` file only its number,
name, comments, terms, offset and keywords are kept, in the form of the OEIS's JSON interface.

The folder `starter/` is no part of this: its definitions and programs are the project's own.
"""


def write_notice(folder: Path) -> None:
    """Put the notice beside the entries, unless it is there. Raises OSError."""
    path = folder / FILE
    content = TEXT.encode("ascii")
    if not path.is_file() or path.read_bytes() != content:
        replace_file(path, content)
