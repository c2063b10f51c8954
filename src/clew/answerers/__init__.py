"""The answerers: each turns a question and a scope into text and evidence."""
