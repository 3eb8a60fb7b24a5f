/**
 * `harn acp FILE`: serves a script as an agent to an editor, over standard input and output, in the Agent Client Protocol.
 * The script runs once for each prompt, with the prompt as its pipeline's parameter `task` (in script form `argv[0]`).
 * Standard output belongs to the protocol; what the script prints is shown to the user as a message.
 */
import { basename } from "node:path";
import { Readable, Writable } from "node:stream";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { ScriptAgent } from "../../acp/index.ts";
import { exitCode } from "../../host/command/index.ts";
import {
  canonicalPath,
  checkTypes,
  compileToRun,
  NodeModuleLoader,
  readProgram,
  report,
} from "../../program/index.ts";
import type { ModelFlags } from "../../run/setup/index.ts";

export async function acpCommand(file: string, args: readonly string[], flags: ModelFlags): Promise<number> {
  const text = readProgram(file, undefined);
  const compiled = await compileToRun(text.source, canonicalPath(text), new NodeModuleLoader());
  const { program, diagnostics } = await checkTypes(compiled, false);
  if (report(diagnostics) || program === undefined) return exitCode.failed;
  const name = basename(file).replace(/\.harn$/, "");
  const served = new ScriptAgent({ name, program, args, flags });
  const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
  const output = Writable.toWeb(process.stdout) as WritableStream<Uint8Array>;
  const connection = served.app().connect(ndJsonStream(output, input));
  await connection.closed;
  await served.close();
  return exitCode.ok;
}
