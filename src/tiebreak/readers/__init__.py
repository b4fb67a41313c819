"""Outside results in: searches, `cross_validate`, tables and files become `Scores`."""
