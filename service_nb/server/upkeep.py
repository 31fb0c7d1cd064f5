"""Create the files of a deployment, and rotate its master key."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from service_nb.core.own_files import make_private, write_own
from service_nb.errors import InvalidIntentError
from service_nb.server import config as configuration
from service_nb.server.config import Config, read_config
from service_nb.server.deployment_store import Store
from service_nb.server.secrets import Vault, create_master_key, resolve_reference, write_master_key
from service_nb.server.tenant_store import reseal_all

_FILE = "file:"


@dataclass(frozen=True, slots=True, kw_only=True)
class InitReport:
    """The files that `create_deployment` wrote; False: it was there, and stays as it was."""

    config: bool
    master_key: bool
    data: Path


def create_deployment(path: Path) -> InitReport:
    """Write a commented configuration, a master key and an empty store, each unless it is there."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        wrote = not path.exists() and write_own(path, configuration.format_example().encode())
        config = read_config(path)
        reference = config.secrets.master_key
        made = reference.startswith(_FILE) and _create_master_file(config, reference)
    except OSError as error:
        raise InvalidIntentError(f"{path.name} cannot be written: {error.strerror}.", path="config") from None
    Vault(reference, Path(config.folder))  # or it is told now what is wrong with it
    Store(make_private(config.data)).close()
    return InitReport(config=wrote, master_key=made, data=config.data)


def _create_master_file(config: Config, reference: str) -> bool:
    file = config.resolve_path(reference.removeprefix(_FILE))
    if (config.data / "server.sqlite").exists() and not file.exists():
        raise InvalidIntentError(
            "The store exists, but its master key does not.",
            hint="Restore the key at the place that secrets.master_key names.",
            path="secrets.master_key",
        )
    file.parent.mkdir(parents=True, exist_ok=True)
    return write_master_key(file, create_master_key())


def rotate_master_key(config: Config, store: Store) -> int:
    """Seal everything with a new master key, and return how much it was. Servers that run find the key by themselves.

    A key in a file is made anew here. Of one elsewhere, the reference has to lead to the new key and after it the old
    one, a blank between: everything is sealed with the first, and the second may then be taken away.
    """
    reference, folder = config.secrets.master_key, Path(config.folder)
    if not reference.startswith(_FILE):
        with store.transaction() as connection:
            return reseal_all(connection, Vault(reference, folder))
    file = config.resolve_path(reference.removeprefix(_FILE))
    with store.transaction() as connection:  # while it is held, no server seals anything
        known = resolve_reference(reference, "secrets.master_key", folder).reveal().split()
        new = create_master_key()
        write_master_key(file, new, *known, over=True)  # both until all is sealed anew: a crash loses nothing
        try:
            count = reseal_all(connection, Vault(reference, folder))
        except BaseException:  # whatever went wrong, nothing is sealed with the new key
            write_master_key(file, *known, over=True)
            raise
    write_master_key(file, new, over=True)
    return count
