/** A project with one session script, driven through the launcher like a user does. */
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { CliResult } from "./command-environment.ts";
import { harnHere } from "./harn-here.ts";
import { type RunningCli, startHarn } from "./start-cli.ts";

export interface SessionEventView {
  readonly n: number;
  readonly type: string;
  readonly text?: string;
  readonly message?: string;
  readonly status?: string;
  readonly run?: number;
  readonly id?: string;
}

export interface SessionViewJson {
  readonly name: string;
  readonly status: string;
  readonly pending: number;
  readonly handled: number;
  readonly runs: number;
  readonly failures: number;
  readonly problem: string | null;
  readonly due: string | null;
  readonly recorded_run: string | null;
  readonly last_events: readonly SessionEventView[];
}

export interface SessionProject {
  readonly cwd: string;
  write(name: string, text: string): void;
  read(name: string): string;
  harn(...args: string[]): Promise<CliResult>;
  start(...args: string[]): RunningCli;
  /** The session as `harn session show --json` has it, with all its events. */
  show(name: string): Promise<SessionViewJson>;
  /** Texts of its events of one type. */
  texts(name: string, type: string): Promise<(string | undefined)[]>;
}

/** A project for the test that asks for it; gone when the test has ended. */
export function sessionProject(script: string): SessionProject {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "harn-session-")));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true, maxRetries: 5 }));
  const write = (name: string, text: string): void => writeFileSync(join(cwd, name), text);
  write("a.harn", script);
  const show = async (name: string): Promise<SessionViewJson> =>
    JSON.parse((await harnHere(["session", "show", name, "--events", "1000", "--json"], { cwd })).stdout);
  return {
    cwd,
    write,
    read: (name) => readFileSync(join(cwd, name), "utf8"),
    harn: (...args) => harnHere(args, { cwd }),
    start: (...args) => startHarn(args, { cwd }),
    show,
    texts: async (name, type) =>
      (await show(name)).last_events
        .filter((event) => event.type === type)
        .map(({ text, message }) => text ?? message),
  };
}

/** An answer of a scripted model with its directive, as a line of a fixture file. */
export function answerLine(text: string, directive: object): string {
  return `${JSON.stringify({ text: `${text}\n\n\`\`\`directive\n${JSON.stringify(directive)}\n\`\`\`` })}\n`;
}
