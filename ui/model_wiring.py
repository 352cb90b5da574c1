"""The model of a run, wired: which implementation answers, how it is started, what of it may lie on the disk."""

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assistant.ports import ChatModel
    from memory.data_dir import Home
    from models.launching import Engine
    from ui.configuration import Configuration
    from ui.model_choice import FileModel
    from ui.wiring import Options


def build_model(configuration: "Configuration", home: "Home", options: "Options") -> "ChatModel":
    """The model of this run, not yet started; where none is set up, one whose status says so.

    Blocks for as long as `which_model` does. Raises CatalogueWrong."""
    if options.demo:
        from models.demo import demo_model

        return demo_model()
    from ui.model_choice import FileModel, ServerModel, which_model

    chosen = which_model(configuration.model, home, options.model)
    match chosen:
        case FileModel():
            return _worker(chosen, configuration, home, options)
        case ServerModel():
            from models.server import ServerModel as Server

            return Server(chosen.url, configuration.model)
        case _:
            from models.absent import AbsentModel

            return AbsentModel(chosen)


def _worker(chosen: "FileModel", configuration: "Configuration", home: "Home", options: "Options") -> "ChatModel":
    from models.worker import WorkerModel

    return WorkerModel(engine_for(chosen, configuration, home, options))


def engine_for(chosen: "FileModel", configuration: "Configuration", home: "Home", options: "Options") -> "Engine":
    """How the model of this run is started, and what of it may lie on the disk. Blocks."""
    from memory.key_file import is_encrypted
    from models.launching import engine_of

    engine = engine_of(configuration.model, chosen.path, chosen.name, state=home.state, cache=home.cache)
    if options.incognito:
        engine = replace(engine, prefixes=None, log=Path(os.devnull))
    elif is_encrypted(home):
        engine = replace(engine, prefixes=None)  # evaluated prompts lie in files, in the clear
    return engine
