"""The decisions about the landing area, without Spark."""
