"""Keeps secrets out of what is printed, logged and written."""

from __future__ import annotations

import os
import re

_SECRET_VARIABLE = re.compile(r"SECRET|PASSWORD|PASSWD|TOKEN|ACCESS_KEY|ACCOUNT_KEY|CREDENTIAL")
# What signed addresses and connection strings carry: S3, Google, Azure, JDBC.
_SECRET_PART = re.compile(
    r"(?i)\b(X-(?:Amz|Goog)-(?:Signature|Credential|Security-Token)|sig|signature|password|pwd"
    r"|secret(?:_?access)?_?key|session_?token|account_?key|Authorization)(\s*[=:]\s*)"
    r"(?:Bearer |Basic )?[^\s&;,\"']+"
)
# The password of an address, as in mysql://reader:password@host.
_ADDRESS_PASSWORD = re.compile(r"(://[^\s:/@]*):[^\s/@]+@")
_SHORTEST_SECRET = 6


def without_secrets(text: str) -> str:
    """A text in which values of secret environment variables and signatures are ``***``."""
    values = {
        value
        for name, value in os.environ.items()
        if _SECRET_VARIABLE.search(name.upper()) and len(value) >= _SHORTEST_SECRET
    }
    for value in sorted(values, key=len, reverse=True):
        text = text.replace(value, "***")
    return _ADDRESS_PASSWORD.sub(r"\1:***@", _SECRET_PART.sub(r"\1\2***", text))
