"""The research loop: a model looks at the code with tools until it can answer, within limits."""
