"""Reads files of DMS: typed rows, in order, as staging keeps them."""
