"""Asks what is known against the packages of some locks: ``python requirements/audit.py LOCK…``.

pip-audit ends well also when its service knows none of the packages. Here that is no good news, but
told: exit code 1 if something is known against a package, 0 if not and if nothing could be asked.
The service is OSV, unless pip-audit's own variables say otherwise (``PIP_AUDIT_OSV_URL`` …).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

_COMMAND = ("pip_audit", "--disable-pip", "--format", "json", "--progress-spinner", "off")
# Where the exceptions come from that mean no answer, or none that is one.
_AWAY = ("requests.exceptions.", "pip_audit._service.")


def audit(lock: str) -> int:
    """Print what is known against the packages of a lock; return the exit code."""
    done = subprocess.run(
        [sys.executable, "-m", *_COMMAND, "--requirement", lock],
        env={"PIP_AUDIT_VULNERABILITY_SERVICE": "osv", **os.environ},
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        packages: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except ValueError:
        reason = (done.stderr.strip().splitlines() or ["it printed nothing"])[-1]
        is_away = any(problem in reason for problem in _AWAY)
        could_not = "ask its service" if is_away else "read the lock"
        print(f"{lock}: NOTHING WAS AUDITED: pip-audit could not {could_not}. {reason}")
        return 0 if is_away else 1
    skipped = [package for package in packages if "skip_reason" in package]
    asked = [package for package in packages if package not in skipped]
    for package in skipped:
        print(f"not audited: {package['name']}: {package['skip_reason']}")
    known = [(package, each) for package in asked for each in package["vulns"]]
    for package, each in known:
        mended = ", ".join(each["fix_versions"]) or "no version yet"
        print(
            f"{package['name']} {package['version']}: {each['id']}, mended in {mended}: "
            f"{each.get('description', '')}"
        )
    if not asked:
        print(f"{lock}: NOTHING WAS AUDITED: the service knows none of the packages.")
    else:
        print(
            f"{lock}: {len(asked)} packages audited, {len(skipped)} not; "
            f"{len(known)} problems are known."
        )
    return 1 if known else 0


if __name__ == "__main__":
    # One by one: they name the same packages, some in other versions.
    sys.exit(max(audit(lock) for lock in sys.argv[1:]))
