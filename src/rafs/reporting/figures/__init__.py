"""One module per figure: `draw(inputs, options) -> Figure`, and its declarations.

`rafs.reporting.catalogue` finds the modules and says what they declare.
"""
