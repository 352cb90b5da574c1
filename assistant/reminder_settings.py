"""What can be set about reminders and about reading dates: section [reminders] of config.toml."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

WeekStart = Literal["monday", "sunday", "saturday"]


class ReminderSettings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    next_weekday: Literal["ask", "coming", "week_after"] = Field(
        default="ask",
        description='What "next Friday" means: the coming one, or that of the week after. Your answer is kept here.',
    )
    day_first: bool = Field(default=True, description="Read 4/3 as 4 March; false: as April 3.")
    week_starts: WeekStart = Field(default="monday", description="The first day of your week.")
    day_time: str = Field(
        default="09:00",
        pattern=r"^([01]\d|2[0-3]):[0-5]\d$",
        description="When a reminder for a day without a time is due.",
    )
    snooze_minutes: int = Field(default=10, ge=1, le=1_440, description="How long a snooze lasts unless you say so.")
    notify: bool = Field(default=True, description="Desktop notifications of `steward daemon`.")
    notify_text: bool = Field(
        default=False,
        description="Show the text of a reminder in its notification, also on a locked screen; false: that one is due.",
    )
    bell: bool = Field(default=True, description="Ring the terminal's bell when a reminder is due.")
