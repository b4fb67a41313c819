"""A study in TOML: data, models, splits and metrics by name."""
