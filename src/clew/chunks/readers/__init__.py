"""One module a format that is read by its lines, without a grammar: prose and configuration."""
