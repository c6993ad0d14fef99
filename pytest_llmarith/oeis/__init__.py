"""Integer sequences of the OEIS and programs for them: entries, sets, sync, scores, and the lookup-table detector."""
