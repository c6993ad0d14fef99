"""Debian's unstable release in a folder, for a Python that is newer than any that is installed.

mmdebstrap lays it out from the mirror that apt uses here; bubblewrap enters it, as one of its jails cannot be made
within a chroot. The project is seen there under its own path.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from versions.bounds import ROOT

_PACKAGES = ("python3", "python3-venv", "git", "make", "bubblewrap", "procps", "ca-certificates", "openssh-server")
# Signatures are checked all the same: a mirror that keeps the state of one day is older than that state may get.
_OLD_IS_FINE = 'Acquire::Check-Valid-Until "false"'
_TOOLS = ("mmdebstrap", "bwrap", "apt-get")
# What lets pip through to its index, and nothing else of this environment.
_KEPT = ("PIP_", "SSL_", "http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "no_proxy", "NO_PROXY")


def missing() -> list[str]:
    """What there would have to be."""
    return [*(tool for tool in _TOOLS if not shutil.which(tool)), *(["root"] if os.geteuid() else [])]


def lay_out(folder: Path) -> list[str]:
    """The system, unless it is there; the command that runs a command in it."""
    if not (folder / "usr/bin/python3").exists():
        shutil.rmtree(folder, ignore_errors=True)
        packages = f"--include={','.join(_PACKAGES)}"
        laid = ["mmdebstrap", "--variant=minbase", "--quiet", f"--aptopt={_OLD_IS_FINE}", packages, "sid", f"{folder}"]
        subprocess.run([*laid, _mirror()], check=True)
    return entering(folder)


def entering(folder: Path) -> list[str]:
    """The command that a command follows."""
    kept = [(name, value) for name, value in os.environ.items() if name.startswith(_KEPT)]
    variables = [("PATH", "/usr/sbin:/usr/bin"), ("HOME", "/root"), ("LANG", "C.UTF-8"), *kept]
    return [
        *("bwrap", "--cap-add", "ALL", "--die-with-parent", "--bind", f"{folder}", "/", "--bind", f"{ROOT}", f"{ROOT}"),
        *("--dev-bind", "/dev", "/dev", "--bind", "/proc", "/proc", "--ro-bind", "/sys", "/sys", "--tmpfs", "/run"),
        *("--ro-bind", "/etc/resolv.conf", "/etc/resolv.conf", "--ro-bind", "/etc/ssl/certs", "/etc/ssl/certs"),
        *("--clearenv", *(word for name, value in variables for word in ("--setenv", name, value))),
        *("--chdir", f"{ROOT}", "--"),
    ]


def _mirror() -> str:
    """The first from which this system takes its packages."""
    asked = ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages", "Origin: Debian"]
    told = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.split()
    return next(address for address in told if "security" not in address)
