"""``python -m tiebreak`` is the same as ``tiebreak``, for where scripts are not on the path."""

from tiebreak.cli.main import main

if __name__ == "__main__":
    main()
