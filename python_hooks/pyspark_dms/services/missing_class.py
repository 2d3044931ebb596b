"""A class that Spark does not ship and Hive cannot close sessions without (SPARK-51041).

When a session of the Thrift server ends, Hive may load its functions. One of them names the
interface ``LlapSigner.Signable`` of a jar that Spark leaves out. Loading fails; the client gets an
error, and every later session that comes there waits for ever. Nobody calls the function, so an
interface without methods will do.
"""

from __future__ import annotations

import struct
from pathlib import Path

MISSING_CLASS = "org.apache.hadoop.hive.llap.security.LlapSigner$Signable"
_NAME = MISSING_CLASS.replace(".", "/")
_JAVA_8 = 52
_PUBLIC_ABSTRACT_INTERFACE = 0x0601


def write_missing_class(folder: Path) -> None:
    """Write the class file below a folder, which is then to be on Java's class path."""
    path = folder / f"{_NAME}.class"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_interface(_NAME))


def _interface(name: str) -> bytes:
    """The class file of an interface without methods, as the Java specification has it."""
    # Constant 1 is the class named by constant 2, constant 3 the one named by constant 4.
    constants = _class(2) + _text(name) + _class(4) + _text("java/lang/Object")
    header = struct.pack(">IHHH", 0xCAFEBABE, 0, _JAVA_8, 5)
    # This class, what it extends; no interfaces, fields, methods, attributes.
    rest = struct.pack(">7H", _PUBLIC_ABSTRACT_INTERFACE, 1, 3, 0, 0, 0, 0)
    return header + constants + rest


def _class(name_index: int) -> bytes:
    return struct.pack(">BH", 7, name_index)


def _text(value: str) -> bytes:
    return struct.pack(">BH", 1, len(value)) + value.encode("ascii")
