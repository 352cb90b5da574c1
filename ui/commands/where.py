"""`steward where`: the folders and files of this home."""

import click

from ui.output import print_json, print_table
from ui.wiring import Options, resolve_home


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_obj
def where(options: Options, as_json: bool) -> None:
    """Print where Steward keeps its files.

    Nothing is made or changed. All of it moves under one folder with --home DIR or STEWARD_HOME.
    """
    home = resolve_home(options)
    places = {
        "config": home.config,
        "data": home.data,
        "cache": home.cache,
        "state": home.state,
        "settings": home.config_file,
        "database": home.database,
        "models": home.models,
        "log": home.log,
        "engine_log": home.engine_log,
    }
    if as_json:
        print_json({name: str(path) for name, path in places.items()})
    else:
        print_table([(name.replace("_", " "), str(path)) for name, path in places.items()])
