"""What was asked and answered, kept: tables, migrations and queries over one small schema.

`store.Records` is the way in. Importing this package loads nothing; importing `store` loads
SQLAlchemy (about a quarter of a second), so surfaces import it only for the commands that need it.
"""
