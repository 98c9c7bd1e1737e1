"""The benchmark's parts: a site to read from, mounts of it, the cases, the report."""
