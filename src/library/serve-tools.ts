/** The server behind `serveTools`: a runtime without a script whose host offers the tools, served as `harn mcp-serve` serves. */
import { basename } from "node:path";
import { LiveEffects } from "../effects/index.ts";
import { ProcessConsole, version } from "../host/command/index.ts";
import { createNodeHost, nodeAtRest, nodeSeed } from "../host/index.ts";
import { newRunId } from "../host/run-id.ts";
import { Runtime } from "../interp/index.ts";
import { addServedTools } from "../mcp/index.ts";
import { serveMcpStdio } from "../mcp/serve/index.ts";
import { toolSetOfValue } from "../model/index.ts";
import { fromJson } from "../values/index.ts";
import { offerProgramTools, toolDefinitions } from "./host-tools.ts";
import type { AnyTool } from "./types.ts";

export async function serveOverStdio(tools: readonly AnyTool[]): Promise<void> {
  const effects = new LiveEffects({ atRest: nodeAtRest(), seed: nodeSeed() });
  const console = new ProcessConsole();
  const runtime = new Runtime({ effects, host: createNodeHost(), console, builtins: new Map() });
  // Keys of calls must differ from those of the process that served before.
  offerProgramTools(runtime, tools, { run: newRunId() });
  addServedTools(runtime, toolSetOfValue(fromJson(toolDefinitions(tools))));
  const program = basename(process.argv[1] ?? "tools").replace(/\.[cm]?[jt]s$/, "");
  await serveMcpStdio(runtime, { name: program, version });
  await effects.close();
  await runtime.close();
}
