"""YAML: every option once, level tables, and profiles. Data only."""
