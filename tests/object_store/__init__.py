"""The S3 API over the wire, served by moto on loopback."""
