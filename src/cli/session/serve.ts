/** `harn serve --sessions`: runs what is due, until it is stopped. */

import type { FlagsOf } from "../../host/command/flags.ts";
import { exitCode, print, reportAsJson, reportError } from "../../host/command/index.ts";
import { limitsOf, workArguments } from "../../run/setup/index.ts";
import { onNewSessions, SessionWork, serveWork } from "../../work/service/index.ts";
import type { serveFlags } from "../flags/serving.ts";

export type SessionServeFlags = FlagsOf<typeof serveFlags>;

const usualJobs = 4;

export async function serveCommand(flags: SessionServeFlags): Promise<number> {
  const { jobs = usualJobs, json = false, once = false } = flags;
  return await onNewSessions(async (sessions) => {
    const { store } = sessions;
    await serveWork({
      store,
      pool: { spares: once ? 0 : 1, maxChildren: jobs, limits: limitsOf(flags) },
      work: (_dispatch, pool) =>
        new SessionWork(sessions, {
          jobs,
          once,
          pool,
          flags: [...workArguments(flags), "--quiet", ...(json ? ["--json"] : [])],
          onLine: (session, line) => passOn(flags, session, line),
          report: reportFromSessions,
        }),
      onReady: () => {
        if (!once)
          reportFromSessions(`runs the sessions of ${store.folder}, ${jobs} at a time; Ctrl-C stops`);
      },
      onStop: (now, busy) => {
        if (busy > 0 && !now)
          reportFromSessions(`waits for ${busy} run(s); once more stops them, they go on later`);
      },
    });
    return exitCode.ok;
  });
}

const reportFromSessions = (text: string): void => void reportError(`harn serve: ${text}\n`);

/** People see everything with the session's name before it; programs get the reports alone. */
function passOn({ json }: SessionServeFlags, session: string, line: string): void {
  if (json === true && isReport(session, line)) reportAsJson(JSON.parse(line));
  else (json === true ? reportError : print)(`${session} | ${line}\n`);
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
