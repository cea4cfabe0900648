"""Asks a server of the Model Context Protocol: lists its tools and the tables of dm, then runs a statement.

Reads {"server": entry of a client's configuration, "sql": statement}; prints JSON.
"""

import asyncio
import json
import sys

from mcp import Client, StdioServerParameters


async def main() -> None:
    task = json.load(sys.stdin)
    async with Client(StdioServerParameters(**task["server"])) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]

        async def call(name: str, **arguments: object) -> object:
            result = await client.call_tool(name, arguments)
            text = result.content[0].text
            return {"error": text} if result.is_error else json.loads(text)

        tables = await call("list_tables", database="dm")
        answer = await call("run_query", query=task["sql"])
        refused = await call("run_query", query="CREATE TABLE dm.x (n UInt8) ENGINE = Memory")
    print(json.dumps({"tools": tools, "tables": tables, "answer": answer, "refused": refused}))


asyncio.run(main())
