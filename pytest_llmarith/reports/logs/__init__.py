"""Room: run logs on disk: written record by record, read again, in our own form and in those of others."""
