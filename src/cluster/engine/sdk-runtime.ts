/** The SDK's native part, one in a process: it takes no signals, and what it has to say becomes lines of ours. */
import type { LogLevel, LogMetadata, Runtime } from "@temporalio/worker";

/** The same is said again after this time at the earliest: an engine that is away is noticed by every poll. */
const quietMs = 60_000;

/**
 * Whoever performs a job says himself why it failed; a worker that has no workflows, or no activities, is meant so; a step or an attempt
 * that came too late was made by another worker.
 */
const needless =
  /^(?:Activity failed|Activity not found on completion|Workflow failed|Task not found when completing|No (?:workflows|activities) registered)/;
/** Every call says so, each time in other words. */
const away = /^(?:gRPC call \w+ retried|Network error|Error when recording heartbeat)/;
const awayLine = "the engine can't be reached; it is tried again";

export function installRuntime(runtime: typeof Runtime, report: (line: string) => void): void {
  const say = saidOnce(report);
  const log = (level: LogLevel, message: string, meta?: LogMetadata): void => {
    if ((level === "WARN" || level === "ERROR") && !needless.test(message))
      say(away.test(message) ? awayLine : `engine: ${message}${loggedCause(meta)}`);
  };
  const nothing = (): void => {};
  try {
    runtime.install({
      shutdownSignals: [],
      logger: {
        log,
        trace: nothing,
        debug: nothing,
        info: nothing,
        warn: (message, meta) => log("WARN", message, meta),
        error: (message, meta) => log("ERROR", message, meta),
      },
      telemetryOptions: { logging: { forward: {}, filter: { core: "WARN", other: "ERROR" } } },
    });
  } catch (error) {
    // It is there already: of another engine in this process.
    if ((error as Error).name !== "IllegalStateError") throw error;
  }
}

function loggedCause(meta: LogMetadata | undefined): string {
  const { error, err } = (meta ?? {}) as { readonly error?: unknown; readonly err?: unknown };
  const cause = error ?? err;
  if (cause === undefined) return "";
  return `: ${(cause instanceof Error ? cause.message : String(cause)).split("\n")[0] ?? ""}`;
}

function saidOnce(report: (line: string) => void): (line: string) => void {
  const said = new Map<string, number>();
  return (line) => {
    const now = Date.now();
    if (now - (said.get(line) ?? -Infinity) < quietMs) return;
    // What is said differs little; should it not, what was said long ago is forgotten.
    if (said.size > 100) said.clear();
    said.set(line, now);
    report(line.slice(0, 500));
  };
}
