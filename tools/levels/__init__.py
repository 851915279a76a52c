"""How strong the levels are, and what they do wrong: `python -m tools.levels`. Results are in `docs/levels.md`."""
