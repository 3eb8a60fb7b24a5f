/**
 * `harn mcp-serve FILE`: runs a script and then serves what it registered (`mcp_tools`, `mcp_resource` …) over standard
 * input and output, until the client goes away, or over HTTP (`--http`), until it is interrupted. Standard output belongs
 * to the protocol, so what the script prints goes to standard error.
 */

import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { builtinTable } from "../../builtins/index.ts";
import { LiveEffects } from "../../effects/index.ts";
import type { FlagsOf } from "../../host/command/flags.ts";
import { exitCode, ProcessConsole, UsageError, version } from "../../host/command/index.ts";
import { createNodeHost, nodeInterrupts, nodeSeed } from "../../host/index.ts";
import { type Console, notifyPerson, Runtime, runGuarded } from "../../interp/index.ts";
import { type ExecutableProgram, type RunOutcome, runProgram } from "../../lower/index.ts";
import { refusedManifest } from "../../manifest/index.ts";
import { served } from "../../mcp/index.ts";
import {
  type HttpAddress,
  parseHttpAddress,
  type ServedAs,
  scriptServer,
  serveMcpHttp,
  serveMcpStdio,
  tokenVariable,
} from "../../mcp/serve/index.ts";
import {
  canonicalPath,
  checkTypes,
  compileToRun,
  NodeModuleLoader,
  readProgram,
  report,
} from "../../program/index.ts";
import { endOfRun, granted, grantedLimitsOf } from "../../run/setup/index.ts";
import { wireModels } from "../../run/setup/wire-models.ts";
import type { mcpServeFlags } from "../flags/serving.ts";

export type McpServeFlags = FlagsOf<typeof mcpServeFlags>;

export async function mcpServeCommand(
  file: string,
  args: readonly string[],
  flags: McpServeFlags,
): Promise<number> {
  const token = process.env[tokenVariable] ?? "";
  const address = flags.http === undefined ? undefined : parseHttpAddress(flags.http, token);
  const card = flags.card === undefined ? {} : { card: serverCardIn(flags.card) };
  const text = readProgram(file, undefined);
  const compiled = await compileToRun(text.source, canonicalPath(text), new NodeModuleLoader());
  const { program, diagnostics } = await checkTypes(compiled, false);
  if (report(diagnostics) || program === undefined) return exitCode.failed;
  if (await refusedManifest(canonicalPath(text), report)) return exitCode.failed;
  const limited = grantedLimitsOf(flags);
  const machine = createNodeHost();
  const { host, builtins } =
    limited === undefined ? { host: machine, builtins: builtinTable() } : granted(limited, machine);
  const interrupts = nodeInterrupts();
  const effects = new LiveEffects({ atRest: interrupts.atRest, seed: nodeSeed() });
  const runtime = new Runtime({ effects, host, console: onStderr(new ProcessConsole()), builtins, args });
  wireModels(runtime, flags);
  const as = { name: basename(file).replace(/\.harn$/, ""), version, ...card };
  const serve = (): Promise<void> =>
    address === undefined ? serveMcpStdio(runtime, as) : overHttp(runtime, as, address, token);
  const ended = await runGuarded(runtime, () => runAndServe(runtime, program, serve), {
    interrupts,
    end: (outcome) => ({
      reason: outcome.error === undefined ? "done" : "error",
      exitCode: outcome.exitCode,
    }),
  });
  return endOfRun(ended, runtime, {});
}

/** The card of `--card`: a JSON object. */
function serverCardIn(path: string): { readonly [key: string]: unknown } {
  let card: unknown;
  try {
    card = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new UsageError(`--card: ${path}: ${(error as Error).message}`, "HARN-CLI-003");
  }
  if (typeof card === "object" && card !== null && !Array.isArray(card))
    return card as { readonly [key: string]: unknown };
  throw new UsageError(`--card: ${path} holds no server card (a JSON object)`, "HARN-CLI-003");
}

async function runAndServe(
  runtime: Runtime,
  program: ExecutableProgram,
  serve: () => Promise<void>,
): Promise<RunOutcome> {
  const outcome = await runProgram(runtime, program);
  if (outcome.error !== undefined || outcome.internal !== undefined || outcome.exitCode !== 0) return outcome;
  const { tools, resources, templates, prompts } = runtime.state(served);
  if (tools.entries.length + resources.size + templates.size + prompts.size === 0) {
    notifyPerson(
      runtime,
      "harn: the script registered nothing to serve; call mcp_tools, mcp_resource or mcp_prompt in it\n",
    );
    return { ...outcome, exitCode: exitCode.failed };
  }
  await serve();
  return outcome;
}

/** Serves until the process is interrupted. */
async function overHttp(runtime: Runtime, as: ServedAs, address: HttpAddress, token: string): Promise<void> {
  const server = await serveMcpHttp(
    () => scriptServer(runtime, as),
    address,
    token,
    (error) => notifyPerson(runtime, `harn: ${error.message}\n`),
  );
  runtime.open.add(server);
  notifyPerson(runtime, `harn: ${as.name} is served at ${server.url}\n`);
  await new Promise<never>(() => {});
}

/** Everything that the script prints, on standard error. */
function onStderr(console: ProcessConsole): Console {
  const write = (text: string): void => console.writeError(text);
  return { write, writeError: write, flush: () => console.flush() };
}
