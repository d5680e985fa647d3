"""The datasets, one file each. Every module here is a dataset (`rafs.datasets.core.Spec`)."""
