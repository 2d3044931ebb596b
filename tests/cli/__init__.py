"""The commands of ``dms-snapshots``."""
