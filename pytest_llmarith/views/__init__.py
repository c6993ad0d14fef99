"""What tables of figures are declared with: places, columns, kinds of values."""
