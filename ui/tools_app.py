"""/tools in the terminal UI: lists and what a server offers are pages, what was done is a line."""

from typing import TYPE_CHECKING

from textual import work

from assistant.errors import AssistantError
from memory.errors import StoreError
from ui.data_app import DataApp
from ui.errors import UiError

if TYPE_CHECKING:
    from ui.desk import Desk
    from ui.tools_typed import ToolCommands


class ToolsApp(DataApp):
    def __init__(self, desk: "Desk") -> None:
        super().__init__(desk)
        self._tools: ToolCommands | None = None  # keeps what was looked at until it is approved

    @work(group="tools")
    async def action_tools(self, argument: str = "") -> None:
        from ui.tools_typed import USES, ToolCommands

        self._tools = self._tools or ToolCommands()
        if len(argument.split()) > 2 and argument.startswith("add") or argument.startswith("approve"):
            self.say("Looking what it lists ...")
        try:
            said = await self._tools.run(self.desk.services, argument)
        except (UiError, StoreError, AssistantError) as error:
            self.say(f"{error.message} {error.hint}".rstrip(), "warning")
            return
        if said.receipt:
            self.say(" ".join(said.lines))
            return
        from ui.screens.item_page import ItemPage

        await self.push_screen(ItemPage("Tools", said.lines, f"/tools takes {USES}"))
