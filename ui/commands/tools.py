"""`steward tools`: what Steward can do, MCP servers, and standing permissions."""

import asyncio
import sys
from typing import TYPE_CHECKING, Any

import click

from ui.errors import EXIT_DONE, DecisionWaiting
from ui.output import print_json, print_line, print_table
from ui.wiring import Options

if TYPE_CHECKING:
    from assistant.tools.types import Tool
    from memory.effects import Grant
    from ui.tool_acts import Offer, ToolActs

as_json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON (docs/formats.md) and nothing else.")
yes_option = click.option("--yes", is_flag=True, help="Say yes beforehand, without being asked.")


@click.group(invoke_without_command=True)
@click.pass_context
def tools(ctx: click.Context) -> None:
    """List tools, add MCP servers, see and revoke permissions.

    Without a command it lists them.
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_tools)


@tools.command("list")
@as_json_option
@click.pass_obj
def list_tools(options: Options, as_json: bool = False) -> None:
    """Every tool: Steward's own, then those of MCP servers, with what it may do without asking."""
    from ui.tool_json import server_value, tool_value
    from ui.tool_lines import own_rows, server_lines

    own, servers = _own_tools(options), _acts(options).shelf.servers()
    if as_json:
        print_json({"tools": [tool_value(tool) for tool in own], "servers": [server_value(one) for one in servers]})
        return
    print_table(own_rows(own))
    for place, server in enumerate(servers):
        if own or place:
            print_line()
        for line in server_lines(server):
            print_line(line)
    if not servers:
        print_line("No MCP server. To add one: steward tools add-mcp NAME -- COMMAND...")


@tools.command("add-mcp", context_settings={"ignore_unknown_options": False})
@click.argument("name")
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
@click.option("--url", metavar="URL", help="A server over HTTP, instead of a command.")
@click.option("--env", "environment", metavar="NAME", multiple=True, help="A variable the command gets; more than one.")
@click.option("--token", metavar="NAME", help="The variable that holds the bearer token for --url.")
@click.option("--read", "reads", metavar="TOOL", multiple=True, help="This tool only looks things up: never ask.")
@click.option("--grave", metavar="TOOL", multiple=True, help="This tool moves money or the like: always ask.")
@click.option("--wait", metavar="SECONDS", type=click.FloatRange(1, 120), default=10, help="How long it may start.")
@yes_option
@as_json_option
@click.pass_obj
def add_mcp(
    options: Options,
    name: str,
    command: tuple[str, ...],
    url: str | None,
    environment: tuple[str, ...],
    token: str | None,
    reads: tuple[str, ...],
    grave: tuple[str, ...],
    wait: float,
    yes: bool,
    as_json: bool,
) -> int:
    """Add an MCP server: look what it offers, then say yes or no.

    \b
      steward tools add-mcp files -- npx -y some-file-server ~/Documents
      steward tools add-mcp mail --env MAIL_PASSWORD -- mail-server --stdio
      steward tools add-mcp crm --url https://crm.example/mcp --token CRM_TOKEN

    Every call of one of its tools waits for your yes, except of those you name with --read. What you were shown is
    pinned: a server that changes it later is not used until you have seen the difference.
    """
    from ui.tool_acts import Wanted, reach_of

    acts = _acts(options)
    reach = reach_of(command, url, environment, token)
    offer = asyncio.run(acts.offer(Wanted(name=name, reach=reach, reads=reads, grave=grave, start_s=wait)))
    return _decide(acts, offer, yes=yes, as_json=as_json)


@tools.command("approve")
@click.argument("name")
@yes_option
@as_json_option
@click.pass_obj
def approve_mcp(options: Options, name: str, yes: bool, as_json: bool) -> int:
    """Look again at a server that has changed, and say yes or no to the difference."""
    acts = _acts(options)
    before = acts.shelf.find(name)
    offer = asyncio.run(acts.offer_again(name))
    if not offer.changed and not before.changed:
        if not as_json:
            print_line(f"{name} is what you approved.")
            return EXIT_DONE
        yes = True
    return _decide(acts, offer, yes=yes, as_json=as_json)


@tools.command("remove")
@click.argument("name")
@click.pass_obj
def remove_mcp(options: Options, name: str) -> None:
    """Take an MCP server away. Nothing of it is called from that moment on."""
    _acts(options).remove(name)
    print_line(f"{name} is removed.")


@tools.group("grants", invoke_without_command=True)
@click.option("--all", "everything", is_flag=True, help="Also those that were revoked.")
@as_json_option
@click.pass_context
def grants(ctx: click.Context, everything: bool, as_json: bool) -> None:
    """What you allowed for longer than once. To take one back: steward tools grants revoke ID"""
    if ctx.invoked_subcommand is not None:
        return
    from ui.tool_json import grant_value
    from ui.tool_lines import grant_line

    found = asyncio.run(_grants(ctx.obj, everything))
    if as_json:
        print_json([grant_value(one) for one in found])
        return
    for one in found:
        print_line(grant_line(one))
    if not found:
        print_line("Nothing is allowed beforehand: every act that needs it asks you each time.")


@grants.command("revoke")
@click.argument("id", type=click.IntRange(min=1))
@as_json_option
@click.pass_obj
def revoke_grant(options: Options, id: int, as_json: bool) -> None:
    """Take a permission back. It asks again from now on."""
    revoked = asyncio.run(_revoke(options, id))
    if as_json:
        from ui.tool_json import grant_value

        print_json(grant_value(revoked))
        return
    print_line(f"Permission {id} is revoked: {revoked.tool} asks again.")


def _decide(acts: "ToolActs", offer: "Offer", *, yes: bool, as_json: bool) -> int:
    """Show it, ask, keep it or not."""
    from ui.tool_json import server_value

    name = offer.server.name
    if not as_json:
        _show(offer)
    if not yes:
        if as_json or not sys.stdin.isatty():
            raise DecisionWaiting(f"{name} is not approved: it needs your yes.", "Read what it lists, then add --yes.")
        print_line()
        if not click.confirm(f"Use {name} as shown?", default=False):
            print_line("Nothing was added or changed.")
            return EXIT_DONE
    server = acts.accept(offer)
    if as_json:
        print_json(server_value(server))
    else:
        print_line(f"{name} is approved. A Steward that is open uses it from the next message on.")
    return EXIT_DONE


def _show(offer: "Offer") -> None:
    from ui.tool_lines import difference_lines, offer_lines

    server = offer.server
    lines = offer_lines(server.name, server.reach, server.tools, remote=offer.remote)
    for line in (*lines, *difference_lines(offer.lines)):
        print_line(line)


def _acts(options: Options) -> "ToolActs":
    from assistant.tools.mcp.shelf import Shelf
    from ui.tool_acts import ToolActs
    from ui.wiring import SystemClock, open_home

    return ToolActs(Shelf(open_home(options)), SystemClock())


def _own_tools(options: Options) -> "list[Tool[Any]]":
    """Those that Steward brings; nothing of the home is opened for them."""
    from ui.tool_wiring import own_tools
    from ui.wiring import Services, SystemClock, in_memory, load_configuration, resolve_home

    home = resolve_home(options)
    services = Services(
        options=options,
        home=home,
        configuration=load_configuration(home),
        transcript=in_memory(),
        clock=SystemClock(),
    )
    return sorted(own_tools(services), key=lambda tool: tool.name)


async def _grants(options: Options, everything: bool) -> "tuple[Grant, ...]":
    from ui.reading import reading_decisions

    async with reading_decisions(options) as store:
        return await store.grants(revoked=everything)


async def _revoke(options: Options, id: int) -> "Grant":
    from memory.effects import GrantId
    from ui.wiring import owned

    async with owned(options, "decisions") as services:
        return await services.decisions.revoke_grant(GrantId(id), at=services.clock.now())
