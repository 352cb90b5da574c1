"""A server made with the official SDK, at the newest revision: it asks back by having the call repeated."""

from typing import Annotated

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.resolve import Elicit, Resolve
from pydantic import BaseModel

server = MCPServer("sdk")


class Seat(BaseModel):
    window: bool


def which_seat() -> Elicit[Seat]:
    return Elicit(message="A window seat?", schema=Seat)


@server.tool()
async def book(city: str, seat: Annotated[Seat, Resolve(which_seat)]) -> str:
    """Book a flight."""
    return f"{city}, window: {seat.window}"


@server.tool()
def flights(city: str) -> list[dict[str, str | int]]:
    """Search flights."""
    return [{"flight": "A1", "price": 120, "to": city}, {"flight": "B2", "price": 95, "to": city}]


if __name__ == "__main__":
    server.run()
