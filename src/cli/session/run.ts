/**
 * `harn session run`: one bounded run of a session, in this process.
 *
 *     lease ─▶ the recorded run that was interrupted goes on, else: anything to do? ─▶ a new recorded run ─▶ report
 *
 * The name of the recorded run is noted with the session before it starts, and taken off when it has ended: whoever is
 * killed in between is continued, never begun twice.
 */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { idleReason, type SessionRecord } from "../../durable/index.ts";
import type { FlagsOf } from "../../host/command/flags.ts";
import { exitCode, ownStateFolder, print, reportAsJson } from "../../host/command/index.ts";
import { newRunId } from "../../host/index.ts";
import { ownPath, ownProcess } from "../../process/index.ts";
import type { RunFlags } from "../../run/setup/index.ts";
import { runScriptCommand } from "../../run/start.ts";
import { leaseMs, type RunState, StoreError } from "../../store/index.ts";
import { onSessions } from "../../work/service/index.ts";
import type { SessionStore } from "../../work/session/index.ts";
import type { sessionRunFlags } from "../flags/serving.ts";
import { reportJson, reportText } from "./report.ts";

export type SessionRunFlags = FlagsOf<typeof sessionRunFlags>;

export async function runSessionCommand(
  name: string,
  args: readonly string[],
  flags: SessionRunFlags,
): Promise<number> {
  return await onSessions(async (sessions) => {
    const record = sessions.mustFind(name);
    const script = scriptOf(record);
    const lease = sessions.hold(name);
    const renewal = setInterval(() => lease !== undefined && sessions.store.leases.renew(lease), leaseMs / 3);
    try {
      return await new SessionProcess(sessions, name, script, args, flags).run();
    } finally {
      clearInterval(renewal);
      if (lease !== undefined) sessions.store.leases.release(lease);
    }
  });
}

function scriptOf({ name, script }: SessionRecord): string {
  if (script === null) {
    throw new StoreError("invalid", `the session ${name} has no script of its own`, [
      `the script that made it runs it: session_run({session: ${JSON.stringify(name)}})`,
      "`harn session new NAME SCRIPT`, or `script` of session_create, names one",
    ]);
  }
  if (existsSync(script)) return script;
  throw new StoreError("missing", `the script of the session ${name} is not there: ${script}`);
}

/** Those of `harn run`; files are meant from where the command was typed, not from where the session works. */
function runFlagsOf({ restart: _restart, json: _json, ...flags }: SessionRunFlags): RunFlags {
  const { tape, llmMock } = flags;
  return {
    ...flags,
    ...(tape === undefined ? {} : { tape: resolve(ownPath(tape)) }),
    ...(llmMock === undefined ? {} : { llmMock: resolve(ownPath(llmMock)) }),
  };
}

const failureText = (recorded: string | undefined, code: number): string =>
  recorded === undefined
    ? `the script did not start (exit code ${code})`
    : `the script failed with exit code ${code}: \`harn runs show ${recorded}\``;

class SessionProcess {
  private readonly sessions: SessionStore;
  private readonly name: string;
  private readonly script: string;
  private readonly args: readonly string[];
  private readonly flags: SessionRunFlags;

  constructor(
    sessions: SessionStore,
    name: string,
    script: string,
    args: readonly string[],
    flags: SessionRunFlags,
  ) {
    this.sessions = sessions;
    this.name = name;
    this.script = script;
    this.args = args;
    this.flags = flags;
  }

  async run(): Promise<number> {
    const { sessions, name } = this;
    const interrupted = this.interrupted();
    const before = sessions.fireWakes({ name, now: Date.now() });
    if (interrupted === undefined) {
      const reason = idleReason(before);
      if (reason !== undefined) return this.nothingToDo(before, reason);
    }
    const recorded = interrupted ?? newRunId();
    if (interrupted === undefined) sessions.beginWork({ name, run: recorded, now: Date.now() });
    else sessions.resumeWork({ name, run: recorded, now: Date.now() });
    const code = await this.perform(before, recorded, interrupted !== undefined);
    this.settle(recorded, code);
    this.report({ name, before, recorded, resumed: interrupted !== undefined, now: Date.now() });
    const failed = sessions.mustFind(name).failures > before.failures;
    return code === exitCode.ok && failed ? exitCode.failed : code;
  }

  /** The recorded run that goes on; one that ended without anybody noting it is noted now. */
  private interrupted(): string | undefined {
    const { sessions, name } = this;
    const { work } = sessions.mustFind(name);
    if (work === null) return undefined;
    if (this.flags.restart === true) {
      sessions.abandonWork({ name, now: Date.now() });
      return undefined;
    }
    const state = this.stateOf(work.run);
    if (state === "interrupted" || state === "stopped" || state === "waiting") return work.run;
    if (state === "running") {
      throw new StoreError("taken", `the run ${work.run} of the session ${name} is being worked on`, [
        "wait until it has ended, or end it first",
      ]);
    }
    if (state === undefined) sessions.abandonWork({ name, now: Date.now() });
    else this.settle(work.run, state === "done" ? exitCode.ok : exitCode.failed);
    return undefined;
  }

  private stateOf(run: string): RunState | undefined {
    return this.sessions.store.runs.find(run)?.state;
  }

  private async perform(before: SessionRecord, recorded: string, resumes: boolean): Promise<number> {
    const flags = runFlagsOf(this.flags);
    // Where the store is must not depend on the folder that the session works in.
    ownProcess().env.HARN_STATE_DIR = ownStateFolder();
    ownProcess().env.HARN_SESSION = this.name;
    if (existsSync(before.cwd)) ownProcess().chdir(before.cwd);
    return resumes
      ? await runScriptCommand(undefined, [], { ...flags, resume: recorded })
      : await runScriptCommand(this.script, this.args, { ...flags, runName: recorded });
  }

  /**
   * Notes how the recorded run ended; one that was stopped or waits for a person stays with the session. One that is not in
   * the store did nothing that is recorded: not even looked at its session.
   */
  private settle(recorded: string, code: number): void {
    const { sessions, name } = this;
    const now = Date.now();
    const known = this.stateOf(recorded);
    const kept = known === undefined ? undefined : recorded;
    const state = known ?? (code === exitCode.ok ? "done" : "failed");
    if (state === "waiting") sessions.suspendWork({ name, run: recorded, now });
    else if (state === "done") sessions.endWork({ name, run: recorded, end: { ok: true }, now });
    else if (state === "failed")
      sessions.endWork({ name, run: recorded, end: { ok: false, message: failureText(kept, code) }, now });
  }

  private report(report: Parameters<typeof reportText>[1]): void {
    const { sessions, flags } = this;
    if (flags.json === true) reportAsJson(reportJson(sessions, report));
    else print(reportText(sessions, report));
  }

  private nothingToDo({ name, status }: SessionRecord, reason: string): number {
    if (this.flags.json === true) reportAsJson({ name, status, ran: false, reason });
    else print(`${name}: nothing to do: ${reason}\n`);
    return exitCode.ok;
  }
}
