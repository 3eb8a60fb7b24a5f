/** `harn serve --sessions`: runs what is due, until it is stopped. */
import { resolve } from "node:path";
import { createNodeHost } from "../../host/index.ts";
import { loadDispatch } from "../../worker/index.ts";
import { exitCode } from "../exit-codes.ts";
import { UsageError } from "../usage-error.ts";
import type { SessionRunFlags } from "./run.ts";
import { SessionServer } from "./server.ts";
import { onNewSessions, print } from "./sessions.ts";

export interface ServeFlags
  extends Pick<SessionRunFlags, "provider" | "model" | "baseUrl" | "tape" | "llmMock" | "allow" | "deny"> {
  readonly sessions?: boolean;
  readonly jobs?: string;
  readonly once?: boolean;
  /** Milliseconds. */
  readonly timeout?: number;
  readonly json?: boolean;
}

const usualJobs = 4;

export async function serveCommand(flags: ServeFlags): Promise<number> {
  if (flags.sessions !== true) throw new UsageError("harn serve: say what to run: `harn serve --sessions`");
  const jobs = jobsOf(flags.jobs);
  const { embeddedDispatcher } = await loadDispatch();
  return await onNewSessions(async (sessions) => {
    const dispatcher = embeddedDispatcher(sessions.store, createNodeHost().clock);
    const server = new SessionServer(sessions, dispatcher, {
      jobs,
      once: flags.once === true,
      timeoutMs: flags.timeout,
      flags: forRuns(flags),
      said: (session, stream, line) => passOn(flags, session, stream, line),
      tell,
    });
    const unheard = stopOnSignals(server);
    if (flags.once !== true)
      tell(`runs the sessions of ${sessions.store.folder}, ${jobs} at a time; Ctrl-C stops`);
    try {
      await server.run();
    } finally {
      unheard();
    }
    return exitCode.ok;
  });
}

function jobsOf(text: string | undefined): number {
  if (text === undefined) return usualJobs;
  const jobs = Number(text);
  if (Number.isSafeInteger(jobs) && jobs >= 1 && jobs <= 256) return jobs;
  throw new UsageError(`--jobs: expected a whole number from 1 to 256, got ${text}`);
}

/** What each run is started with. Nobody is there to be asked what to do about a doubtful step. */
function forRuns({
  sessions: _s,
  jobs: _j,
  once: _o,
  timeout: _t,
  json,
  ...models
}: ServeFlags): SessionRunFlags {
  const { tape, llmMock } = models;
  return {
    ...models,
    ...(tape === undefined ? {} : { tape: resolve(tape) }),
    ...(llmMock === undefined ? {} : { llmMock: resolve(llmMock) }),
    ...(json === true ? { json } : {}),
    quiet: true,
  };
}

const tell = (text: string): void => void process.stderr.write(`harn serve: ${text}\n`);

/** People see everything with the session's name before it; programs get the reports alone. */
function passOn({ json }: ServeFlags, session: string, stream: "stdout" | "stderr", line: string): void {
  if (json !== true) process[stream].write(`${session} | ${line}\n`);
  else if (stream === "stdout" && isReport(session, line)) print(`${line}\n`);
  else process.stderr.write(`${session} | ${line}\n`);
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

/** How long runs may go on after the first signal. */
const patienceMs = 10_000;

/** The first signal lets runs end, the second, or patience, stops them where they are: they go on later. */
function stopOnSignals(server: SessionServer): () => void {
  let asked = false;
  let late: NodeJS.Timeout | undefined;
  const stop = (): void => {
    if (server.busy > 0 && !asked)
      tell(`waits for ${server.busy} run(s); once more stops them, they go on later`);
    server.stop(asked);
    late ??= setTimeout(() => server.stop(true), patienceMs);
    asked = true;
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  return () => {
    clearTimeout(late);
    process.off("SIGINT", stop);
    process.off("SIGTERM", stop);
  };
}
