"""One module per table: `build(inputs, options) -> Table`."""
