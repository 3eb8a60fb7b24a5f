/** `harn serve --sessions`: runs what is due, until it is stopped. */

import { embeddedDispatcher } from "../../durable/index.ts";
import { createNodeHost } from "../../host/index.ts";
import { exitCode } from "../exit-codes.ts";
import { commandPool } from "../pool/command-pool.ts";
import { stopOnSignals } from "../stop-signals.ts";
import { tellError, tellJson, tell as tellOut } from "../tell.ts";
import { UsageError } from "../usage-error.ts";
import type { SessionRunFlags } from "./run.ts";
import { SessionServer } from "./server.ts";
import { onNewSessions } from "./sessions.ts";

export interface ServeFlags
  extends Pick<SessionRunFlags, "provider" | "model" | "baseUrl" | "tape" | "llmMock" | "allow" | "deny"> {
  readonly sessions?: boolean;
  readonly jobs?: string;
  readonly once?: boolean;
  /** Milliseconds. */
  readonly timeout?: number;
  readonly memory?: string;
  readonly json?: boolean;
}

const usualJobs = 4;

export async function serveCommand(flags: ServeFlags): Promise<number> {
  if (flags.sessions !== true) throw new UsageError("harn serve: say what to run: `harn serve --sessions`");
  const jobs = countOf("--jobs", flags.jobs, 256) ?? usualJobs;
  const memoryMb = countOf("--memory", flags.memory, 1_000_000);
  return await onNewSessions(async (sessions) => {
    const limits = {
      ...(flags.timeout === undefined ? {} : { totalMs: flags.timeout }),
      ...(memoryMb === undefined ? {} : { memoryMb }),
    };
    const pool = await commandPool({ spares: flags.once === true ? 0 : 1, most: jobs, limits });
    const dispatcher = embeddedDispatcher(sessions.store, createNodeHost().clock);
    const server = new SessionServer(sessions, dispatcher, {
      jobs,
      once: flags.once === true,
      pool,
      flags: runArguments(flags),
      said: (session, line) => passOn(flags, session, line),
      tell,
    });
    const unheard = stopOnSignals((now) => {
      if (server.busy > 0 && !now)
        tell(`waits for ${server.busy} run(s); once more stops them, they go on later`);
      server.stop(now);
    });
    if (flags.once !== true)
      tell(`runs the sessions of ${sessions.store.folder}, ${jobs} at a time; Ctrl-C stops`);
    try {
      await server.run();
    } finally {
      unheard();
      pool.close();
    }
    return exitCode.ok;
  });
}

function countOf(flag: string, text: string | undefined, most: number): number | undefined {
  if (text === undefined) return undefined;
  const count = Number(text);
  if (Number.isSafeInteger(count) && count >= 1 && count <= most) return count;
  throw new UsageError(`${flag}: expected a whole number from 1 to ${most}, got ${text}`);
}

/** What each run is started with. */
function runArguments(flags: ServeFlags): string[] {
  const { provider, model, baseUrl, tape, llmMock, allow, deny } = flags;
  const given: readonly (readonly [string, string | undefined])[] = [
    ["--provider", provider],
    ["--model", model],
    ["--base-url", baseUrl],
    ["--tape", tape],
    ["--llm-mock", llmMock],
    ["--allow", allow],
    ["--deny", deny],
  ];
  const named = given.flatMap(([flag, value]) => (value === undefined ? [] : [`${flag}=${value}`]));
  return [...named, "--quiet", ...(flags.json === true ? ["--json"] : [])];
}

const tell = (text: string): void => void tellError(`harn serve: ${text}\n`);

/** People see everything with the session's name before it; programs get the reports alone. */
function passOn({ json }: ServeFlags, session: string, line: string): void {
  if (json === true && isReport(session, line)) tellJson(JSON.parse(line));
  else (json === true ? tellError : tellOut)(`${session} | ${line}\n`);
}

function isReport(session: string, line: string): boolean {
  if (!line.startsWith("{")) return false;
  try {
    const value = JSON.parse(line) as { readonly name?: unknown; readonly status?: unknown };
    return value.name === session && typeof value.status === "string";
  } catch {
    return false;
  }
}
