"""A Slack on loopback, by Slack's public documents: its Web API, Socket Mode and signed events.

The real client libraries talk to it. `Workspace` is what is in Slack, `FakeSlack` the servers in
front of it; `rules` refuses what Slack refuses, and `tell` sends what Slack sends.
"""
