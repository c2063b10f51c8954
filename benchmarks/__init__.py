"""Measures Clew from outside, as whole processes through its command line."""
