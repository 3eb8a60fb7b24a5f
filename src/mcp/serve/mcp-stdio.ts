/** What a run has registered, served over standard input and output: nothing else may be written there. */
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { reportData } from "../../host/command/index.ts";
import { notifyPerson, type Runtime } from "../../interp/index.ts";
import { passMessages } from "./mcp-lines.ts";
import { type ServedAs, scriptServer } from "./mcp-server.ts";

/** Serves until standard input ends. */
export function serveMcpStdio(runtime: Runtime, as: ServedAs): Promise<void> {
  return new Promise((resolve) => {
    const lines = passMessages(process.stdin, (line) => reportData(`${line}\n`));
    const handle = serveStdio(() => scriptServer(runtime, as), {
      transport: new StdioServerTransport(lines, process.stdout),
      onerror: (error) => notifyPerson(runtime, `harn: ${error.message}\n`),
    });
    runtime.open.add(handle);
    process.stdin.once("close", resolve);
    process.stdin.once("end", resolve);
  });
}
