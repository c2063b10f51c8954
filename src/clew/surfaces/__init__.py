"""The surfaces: each translates to and from `app.Clew`, and nothing more."""
