"""The DMS emulator: copies MariaDB tables and their changes into DMS S3 target files.

For demos, tests and benchmarks::

    with MariaDb.start(directory) as server:
        server.execute("create schema hr; create table hr.employees (id int primary key)")
        task = DmsTask(server.address, [("hr", "employees")], target)
        task.full_load()
        server.execute("insert into hr.employees values (1)")
        task.write_changes()
"""

from development.emulator.capture import DmsTask
from development.emulator.clock import Clock, ManualClock, utc_now
from development.emulator.errors import EmulatorError
from development.emulator.files import WrittenFile
from development.emulator.server import MariaDb, ServerAddress
from development.emulator.settings import S3Settings
from development.emulator.tables import TableName

__all__ = [
    "Clock",
    "DmsTask",
    "EmulatorError",
    "ManualClock",
    "MariaDb",
    "S3Settings",
    "ServerAddress",
    "TableName",
    "WrittenFile",
    "utc_now",
]
