"""What can be set about the model: section [model] of config.toml."""

from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator

DEFAULT_CONTEXT = 8_192
Layers = Annotated[int, Field(ge=0, le=1_000)]
Threads = Annotated[int, Field(ge=1, le=1_024)]


class ModelSettings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(
        default="",
        max_length=4_096,
        description="A name from `steward models list`, the path of a GGUF file, or the address of a server such as "
        "http://127.0.0.1:8080/v1. Empty: the best model that is on this machine and fits.",
    )
    context_length: int = Field(
        default=DEFAULT_CONTEXT,
        ge=512,
        le=1_048_576,
        description="Tokens the model sees at once, at most what it was trained for. More needs more memory.",
    )
    threads: Literal["auto"] | Threads = Field(
        default="auto",
        description="Processor cores the model uses. auto: all physical cores but one, so that the rest stays quick.",
    )
    gpu_layers: Literal["auto"] | Layers = Field(
        default="auto",
        description="Layers of the model on the GPU. auto: as many as fit; 0: none.",
    )
    kv_type: Literal["f16", "q8_0"] = Field(
        default="f16",
        description="How the context is held in memory. q8_0 takes half the memory and is slower on a processor.",
    )
    flash_attention: bool = Field(default=True, description="Read long prompts in less time and memory.")
    keep_prefix_states: bool = Field(
        default=True,
        description="Keep what was read of the fixed start of the conversation on disk, for a quick next start.",
    )
    prefix_states_mb: int = Field(
        default=512,
        ge=16,
        le=65_536,
        description="Most disk space for it, in MiB; the longest unused goes first.",
    )
    server_model: str = Field(
        default="",
        max_length=256,
        description="For a server: which of its models to use. Empty: the first that it lists.",
    )
    server_timeout: float = Field(
        default=300.0,
        ge=1.0,
        le=3_600.0,
        description="For a server: seconds of silence after which it is taken for dead.",
    )
    api_key_env: str = Field(
        default="",
        pattern=r"^([A-Za-z_][A-Za-z0-9_]*)?$",
        max_length=128,
        description="For a server: the name of the environment variable that holds its key. The key itself is never "
        "written down.",
    )

    @field_validator("name")
    @classmethod
    def _usable_name(cls, name: str) -> str:
        name = name.strip()
        if not name.isprintable():
            raise ValueError("must be one line without control characters")
        if "://" in name:
            check_address(name)
        return name


def is_server(name: str) -> bool:
    """Whether a model name is the address of a server rather than a file or a catalogue entry."""
    return name.startswith(("http://", "https://"))


def check_address(name: str) -> None:
    """Raises ValueError when `name` is no address that a model server can have."""
    try:
        parts = urlsplit(name)
        port = parts.port
    except ValueError as error:
        raise ValueError(f"is not an address: {error}") from error
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        raise ValueError("an address is http://HOST:PORT/v1 or https://HOST/v1")
    if parts.username is not None or parts.password is not None:
        raise ValueError("an address may not hold a key or password; name its variable in model.api_key_env")
    if parts.query or parts.fragment:
        raise ValueError("an address ends with its path, such as /v1")
