"""What can be set about the conversation: section [assistant] of config.toml."""

from pydantic import BaseModel, ConfigDict, Field, field_validator


class AssistantSettings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    instructions: str = Field(
        default="",
        max_length=4_000,
        description="Own words added to the system text, for example: Answer in British English.",
    )
    reply_tokens: int = Field(
        default=1_024,
        ge=16,
        le=32_768,
        description="Longest answer, in tokens. In a small window at least a quarter is kept free for it.",
    )
    keep_after_cut: float = Field(
        default=0.5,
        ge=0.1,
        le=0.9,
        description="When a conversation outgrows the window, the share of the space that older turns keep. "
        "Smaller means fewer pauses to read again, larger means more is remembered.",
    )
    roots: str = Field(
        default="",
        max_length=4_000,
        description="Folders that text files may be read from in a conversation, with commas between: ~/notes, ~/work.",
    )
    think: bool = Field(default=False, description="Let a thinking model think before it answers (slower).")
    date_beside_message: bool = Field(
        default=True, description="Add date and time to a message that speaks of time (today, tomorrow, o'clock)."
    )
    temperature: float = Field(default=0.7, ge=0.0, le=2.0, description="Variety of the wording; 0 is always the same.")
    top_p: float = Field(default=0.95, gt=0.0, le=1.0, description="Sample from the likeliest words up to this sum.")
    top_k: int = Field(default=40, ge=0, le=1_000, description="Sample from this many likeliest words; 0 is no limit.")
    min_p: float = Field(default=0.05, ge=0.0, le=1.0, description="Leave out words rarer than this share of the best.")
    repeat_penalty: float = Field(default=1.05, ge=0.5, le=2.0, description="Above 1 discourages repetition.")
    seed: int | None = Field(
        default=None,
        ge=0,
        le=2**31 - 1,
        description="Same seed, same question, same answer. Unset: random.",
    )
    learn: bool = Field(default=True, description="Learn about you from what you write. /learning off pauses it.")
    learn_not: str = Field(
        default="", description="Domains that nothing is learned about, for example: health, people."
    )
    ask_continue_minutes: int = Field(
        default=60,
        ge=0,
        le=525_600,
        description="`steward ask` continues the latest conversation if it is younger than this; 0: never.",
    )

    @field_validator("learn_not")
    @classmethod
    def _known(cls, text: str) -> str:
        from assistant.learning_switch import domains_in

        domains_in(text)
        return text
