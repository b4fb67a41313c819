"""Where cells are measured: in this process, or in several on this machine."""
