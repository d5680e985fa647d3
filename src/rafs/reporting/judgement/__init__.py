"""How a claim of the paper is judged: evidence, the paper's rule, our tests, and verdicts.

The claims themselves are the modules of `rafs.reporting.claims`.
"""
