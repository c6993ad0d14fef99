"""The definitions of tables: each column of a table is one entry."""
