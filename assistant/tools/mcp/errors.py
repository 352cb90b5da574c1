"""ServerFailed (an assistant.errors.ToolError)   an MCP server did not start, hung, flooded, broke off or lied.
ServerChanged (a ServerFailed)                    it does not list what the user approved.
"""

from assistant.errors import ToolError


class ServerFailed(ToolError): ...


class ServerChanged(ServerFailed): ...
