"""Settings of the documentation site, which `make docs` builds: no page of it asks another server for anything."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path
from typing import Any

import tiebreak

sys.path.insert(0, str(Path(__file__).parent))
from from_code import write_pages

write_pages(Path(__file__).parent / "generated")
os.environ.setdefault("MPLBACKEND", "Agg")
warnings.filterwarnings("ignore", message=".*non-interactive.*")

project = "tiebreak"
author = "the developers of tiebreak"
version = release = tiebreak.__version__
copyright = author

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
    "mathml",
]
exclude_patterns = ["_build", "gallery", "formulas.md"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
templates_path = ["_templates"]
suppress_warnings = ["config.cache"]
nitpicky = False

# --- pages ------------------------------------------------------------------------------------------------------------

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = f"tiebreak {release}"
html_copy_source = html_show_sourcelink = False
html_show_sphinx = False
html_sidebars: dict[str, list[str]] = {
    page: [] for page in ("start", "mistakes", "primer", "tools", "generated/methods")
}  # they have no section to show
html_search_scorer = str(Path(__file__).parent / "search_scorer.js")
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_theme_options: dict[str, Any] = {
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "header_links_before_dropdown": 7,
    "navigation_with_keys": False,
    "show_version_warning_banner": False,
}

# --- the reference from docstrings ----------------------------------------------------------------------------------

autosummary_generate = True
autosummary_ignore_module_all = False
autodoc_typehints = "none"  # numpydoc's sections have the types in words
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

# --- the gallery ------------------------------------------------------------------------------------------------------

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "examples-run",
    "filename_pattern": r"plot_",
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "abort_on_example_error": True,
    "min_reported_time": 1e9,
    "image_scrapers": ("matplotlib",),
    "within_subsection_order": "FileNameSortKey",
    "write_computation_times": False,
    "thumbnail_size": (1000, 640),
}
