"""The compiled engine: members one after another, on one thread of the CPU."""

from rafs.engine.fused.training import fit, outputs

__all__ = ["fit", "outputs"]
