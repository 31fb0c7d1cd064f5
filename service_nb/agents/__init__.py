"""The tools that an agent calls: list sources, ask, explain; read-only, recorded, under the policy of a client.

from service_nb.agents import create_tools
tools = create_tools(service.narrow({"allowed_sources": ["sales"]}))
tools.describe("openai")                  # for the model
tools.call("queryData", {...})            # what it sent; never raises
"""

from __future__ import annotations

from service_nb.agents.toolbox import AgentTools as AgentTools
from service_nb.agents.toolbox import create_tools as create_tools
