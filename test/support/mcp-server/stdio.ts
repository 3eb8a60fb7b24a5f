/**
 * An MCP server over pipes, for tests: `node test/support/mcp-server/stdio.ts [how]`.
 *
 *   (nothing)    behaves          modern    knows only the newest revision      noisy    prints log lines to standard output
 *   mute         never answers    garbage   answers with what is no message    crash    ends at once, with a last word
 *   stubborn     ignores the end of its input and SIGTERM                        asks     its tools ask the client
 *   liar, flood  see lying.ts                       endless   answers with a line that never ends
 */
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { testServer } from "./tools.ts";

const how = process.argv[2] ?? "";
if (process.env.MCP_TEST_LOG !== undefined) {
  const { appendFileSync } = await import("node:fs");
  appendFileSync(process.env.MCP_TEST_LOG, `started ${process.pid}\n`);
}
switch (how) {
  case "mute":
    process.stdin.resume();
    break;
  case "garbage":
    process.stdin.on("data", () => process.stdout.write('{"hello": "world"}\nnot json at all\n'));
    break;
  case "liar":
  case "flood":
    (await import("./lying.ts")).lie(how);
    break;
  case "endless":
    process.stdin.on("data", () => setInterval(() => process.stdout.write("x".repeat(1024 * 1024)), 1));
    break;
  case "asks":
    serveStdio((await import("./asking.ts")).askingServer);
    break;
  case "crash":
    process.stderr.write("cannot open database\n");
    process.exit(3);
    break;
  default:
    if (how === "noisy") process.stdout.write("starting up …\n");
    if (how === "stubborn") {
      process.on("SIGTERM", () => {});
      setInterval(() => {}, 1000);
    }
    serveStdio(testServer, how === "modern" ? { legacy: "reject" } : {});
}
