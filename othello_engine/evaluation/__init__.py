"""Evaluations behind one interface."""
