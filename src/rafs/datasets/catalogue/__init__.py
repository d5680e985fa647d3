"""The datasets, one file each. A file that is put here is a dataset (`rafs.datasets.core.Spec`)."""
