/**
 * What an editor offers to the script that it talks to: its files (with what is not saved yet), its terminals, and
 * whatever else it announces. Scripts reach all of it by `host_call` and by tools with `executor: "host_bridge"`.
 *
 *     fs.read_text_file {path, line?, limit?} → text          terminal.run {command, args?, cwd?, env?, timeout_ms?,
 *     fs.write_text_file {path, content} → nil                   output_byte_limit?} → {output, truncated, exit_code, signal}
 *     anything announced as `_meta.harn.host: {"capability.operation": "what it does"}` → the answer of
 *     the request `host/capability.operation`
 */
import { isAbsolute, join } from "node:path";
import type { AgentContext, ClientCapabilities, TerminalOutputResponse } from "@agentclientprotocol/sdk";
import type { HostOperation } from "../agent/index.ts";
import type { Json } from "../effects/index.ts";

type Params = { readonly [name: string]: Json };

/** The operations that a client announces, for one of its sessions. */
export function clientOperations(
  client: AgentContext,
  capabilities: ClientCapabilities | undefined,
  session: { readonly id: string; readonly cwd: string },
): ReadonlyMap<string, HostOperation> {
  const found = new Map<string, HostOperation>();
  const { fs, terminal } = capabilities ?? {};
  if (fs?.readTextFile === true) found.set("fs.read_text_file", readTextFile(client, session));
  if (fs?.writeTextFile === true) found.set("fs.write_text_file", writeTextFile(client, session));
  if (terminal === true) found.set("terminal.run", runInTerminal(client, session));
  for (const [name, doc] of announced(capabilities))
    found.set(name, ownOperation(client, session, name, doc));
  return found;
}

type AcpSession = { readonly id: string; readonly cwd: string };

const touchesFile =
  (cwd: string, operation: "read" | "write"): NonNullable<HostOperation["touches"]> =>
  (params) => ({
    kind: "file",
    group: `fs.${operation}`,
    operation,
    path: pathIn(cwd, text(params, "path")),
  });

const readTextFile = (client: AgentContext, { id: sessionId, cwd }: AcpSession): HostOperation => ({
  doc: "The text of a file as the editor has it, unsaved changes included.",
  effect: "read",
  touches: touchesFile(cwd, "read"),
  run: async (params, { signal }) => {
    const path = pathIn(cwd, text(params, "path"));
    const request = { sessionId, path, line: countParam(params, "line"), limit: countParam(params, "limit") };
    const { content } = await client.request("fs/read_text_file", request, cancellable(signal));
    return content;
  },
});

const writeTextFile = (client: AgentContext, { id: sessionId, cwd }: AcpSession): HostOperation => ({
  doc: "Writes the text of a file through the editor.",
  effect: "write",
  touches: touchesFile(cwd, "write"),
  run: async (params, { signal }) => {
    const request = { sessionId, path: pathIn(cwd, text(params, "path")), content: text(params, "content") };
    await client.request("fs/write_text_file", request, cancellable(signal));
    return null;
  },
});

const runInTerminal = (client: AgentContext, { id: sessionId, cwd }: AcpSession): HostOperation => ({
  doc: "Runs a program in a terminal of the editor and waits for its end.",
  effect: "write",
  touches: (params) => {
    const command = text(params, "command");
    const args = texts(params, "args");
    // Without arguments an editor may take it for a line.
    const [program, words] =
      args.length === 0 && /\s/.test(command) ? ["sh", ["-c", command]] : [command, args];
    return { kind: "process", program, args: words, cwd: pathIn(cwd, optionalText(params, "cwd") ?? ".") };
  },
  run: async (params, { signal }) => {
    const request = {
      sessionId,
      command: text(params, "command"),
      args: texts(params, "args"),
      env: Object.entries(objectAt(params, "env")).map(([name, value]) => ({ name, value: String(value) })),
      cwd: pathIn(cwd, optionalText(params, "cwd") ?? "."),
      outputByteLimit: countParam(params, "output_byte_limit"),
    };
    const { terminalId } = await client.request("terminal/create", request, cancellable(signal));
    const terminal = { sessionId, terminalId };
    try {
      const ended = await untilExit(client, terminal, countParam(params, "timeout_ms"), signal);
      const { output, truncated } = await client.request<TerminalOutputResponse>("terminal/output", terminal);
      const { exitCode = null, signal: endedBy = null } = ended ?? {};
      return { output, truncated, exit_code: exitCode, signal: endedBy, timed_out: ended === undefined };
    } finally {
      // The terminal is the editor's again, whatever became of the program.
      await client.request("terminal/release", terminal).catch(() => {});
    }
  },
});

/** How the program ended; undefined when its time was over and it was killed. */
async function untilExit(
  client: AgentContext,
  terminal: { readonly sessionId: string; readonly terminalId: string },
  timeoutMs: number | null,
  signal: AbortSignal,
) {
  const stopped = new AbortController();
  const late = Symbol("late");
  const ending = [signal, stopped.signal];
  const exit = client.request("terminal/wait_for_exit", terminal, cancellable(AbortSignal.any(ending)));
  // A wait that is given up must not be an error of nobody.
  exit.catch(() => {});
  let timer: NodeJS.Timeout | undefined;
  const time = new Promise<typeof late>((resolve) => {
    if (timeoutMs !== null) timer = setTimeout(() => resolve(late), timeoutMs);
  });
  try {
    const first = await Promise.race([exit, time]);
    if (first !== late) return first;
    await client.request("terminal/kill", terminal);
    return undefined;
  } catch (error) {
    if (signal.aborted) await client.request("terminal/kill", terminal).catch(() => {});
    throw error;
  } finally {
    clearTimeout(timer);
    stopped.abort();
  }
}

/** A request of the client's own. */
const ownOperation = (
  client: AgentContext,
  { id: sessionId }: AcpSession,
  name: string,
  doc: string,
): HostOperation => ({
  doc,
  effect: "write",
  run: (params, { signal }) => client.request(`host/${name}`, { sessionId, ...params }, cancellable(signal)),
});

function announced(capabilities: ClientCapabilities | undefined): [string, string][] {
  const own = answerObjectOf(answerObjectOf(capabilities?._meta?.harn).host);
  return Object.entries(own)
    .filter(([name]) => /^[\w-]+\.[\w-]+$/.test(name))
    .map(([name, doc]) => [name, typeof doc === "string" && doc !== "" ? doc : "Offered by the editor."]);
}

const cancellable = (signal: AbortSignal): { cancellationSignal: AbortSignal } => ({
  cancellationSignal: signal,
});

// ── parameters ────────────────────────────────────────────────────────────────────────────────────────────────────

function text(params: Params, name: string): string {
  const value = params[name];
  if (typeof value !== "string") throw new Error(`missing required parameter '${name}'`);
  return value;
}

function optionalText(params: Params, name: string): string | undefined {
  const value = params[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function texts(params: Params, name: string): string[] {
  const value = params[name];
  return Array.isArray(value) ? value.map(String) : [];
}

function countParam(params: Params, name: string): number | null {
  const value = params[name];
  return typeof value === "number" && value >= 0 ? value : null;
}

const objectAt = (params: Params, name: string): Record<string, unknown> => answerObjectOf(params[name]);

const answerObjectOf = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};

/** The protocol wants absolute paths. */
const pathIn = (cwd: string, path: string): string => (isAbsolute(path) ? path : join(cwd, path));
