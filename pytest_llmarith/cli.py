"""Room: `llmarith ...`, the commands beside pytest. It does not know pytest."""
