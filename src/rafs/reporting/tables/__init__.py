"""One module per table: `build(inputs, options) -> ReportTable`, and its declarations.

`rafs.reporting.catalogue` finds the modules and says what they declare.
"""
