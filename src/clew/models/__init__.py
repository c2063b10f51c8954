"""Models behind one port: chat models by provider, a scripted one, and embedders."""
