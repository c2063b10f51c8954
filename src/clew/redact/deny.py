"""Paths that are never read, whatever is in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

DEFAULT_DENY: Final = (
    # environment files: where secrets are kept on purpose; their templates are documentation
    "*.env",
    ".env",
    ".env.*",
    ".envrc",
    "!.env.example",
    "!.env.sample",
    "!.env.template",
    "!.env.dist",
    "!example.env",
    "!sample.env",
    # private keys, and containers that hold them
    "*.pem",
    "*.key",
    "*.p8",
    "*.p12",
    "*.pfx",
    "*.pkcs12",
    "*.ppk",
    "*.jks",
    "*.bks",
    "*.keystore",
    "*.kdbx",
    "*.agekey",
    "*.ovpn",
    "secring.*",
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    # where programs keep logins
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".htpasswd",
    ".git-credentials",
    ".dockercfg",
    "**/.docker/config.json",
    "**/.aws/credentials",
    "**/.kube/config",
    "*.kubeconfig",
    ".s3cfg",
    ".boto",
    ".vault-token",
    ".terraformrc",
    "credentials.tfrc.json",
    "credentials.json",
    "service-account*.json",
    "service_account*.json",
    "gha-creds-*.json",
    # Terraform writes every password it has set into its state
    "*.tfstate",
    "*.tfstate.*",
)


class DenyList:
    """Paths that are never read, by globs as in a `.gitignore` file, whatever their case.

    A later glob wins over an earlier one; one that starts with `!` allows again.
    """

    def __init__(self, globs: Sequence[str]) -> None:
        import pathspec  # workers never ask: paths are judged before they are sent

        self.globs = tuple(globs)
        self._spec = pathspec.GitIgnoreSpec.from_lines(glob.lower() for glob in self.globs)

    def match(self, path: str) -> str | None:
        """The glob that denies a POSIX path, or None."""
        result = self._spec.check_file(path.lower())
        if result.include and result.index is not None:
            return self.globs[result.index]
        return None
