"""`clew serve`: what is asked over HTTP, and Slack beside it, in one process."""
