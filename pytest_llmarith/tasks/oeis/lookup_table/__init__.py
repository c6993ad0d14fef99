"""Decides whether a program computes the terms of a sequence or looks them up."""
