/** `harn session`, declared for commander. */

import type { Command } from "commander";
import { onDoubtFlag } from "../../run/setup/index.ts";
import { collected } from "../repeated-flag.ts";
import { withWorkFlags } from "../serve/flags.ts";
import type { NewFlags, SendFlags, WakeFlags } from "./manage.ts";
import type { SessionRunFlags } from "./run.ts";
import type { ShowFlags } from "./show.ts";

type Done = (code: number) => void;

export function addSessionCommands(program: Command, script: readonly string[], done: Done): void {
  const session = program
    .command("session")
    .description("Work that outlives processes: mailboxes and agents that look at them in bounded runs.");
  addSessionManaging(session, done);
  addRunning(session, script, done);
  addShowing(session, done);
}

function addSessionManaging(session: Command, done: Done): void {
  const load = async (): Promise<typeof import("./manage.ts")> => await import("./manage.ts");
  session
    .command("new")
    .description("Makes a session that a script works on (it calls `session_run`).")
    .argument("<name>", "letters, digits, `.`, `_`, `-`")
    .argument("<script>", "what `harn session run` runs")
    .option("--agent <name>", "whose learnings and MEMORY.md it shares (default: the name of the script)")
    .option("--environment <name>", "one of `[environments]` in harn.toml")
    .option("--attach <file>", "a file or folder that every run is told; may be given again", collected)
    .option("--message <text>", "the first message")
    .action(async (name: string, file: string, flags: NewFlags) =>
      done(await (await load()).newSession(name, file, flags)),
    );
  session
    .command("send")
    .description("Sends a message, or the result of a custom tool.")
    .argument("<name>", "the session")
    .argument("<text>", "the message, `-` for standard input; with --result JSON, or text")
    .option("--result <use>", "it is the result of this tool use")
    .option("--failed", "with --result: the tool did not work")
    .action(async (name: string, text: string, flags: SendFlags) =>
      done(await (await load()).sendToSession(name, text, flags)),
    );
  addSessionWake(session, done);
  session
    .command("close")
    .description("Closes a session: nothing runs it any more, what was said stays readable.")
    .argument("<name>", "the session")
    .action(async (name: string) => done(await (await load()).closeNamedSession(name)));
}

function addSessionWake(session: Command, done: Done): void {
  session
    .command("wake")
    .description("Queues a wake, or takes one back.")
    .argument("<name>", "the session")
    .option("--in <time>", "from now: 90s, 15m, 2h, 1d")
    .option("--at <moment>", "ISO 8601 with Z or an offset")
    .option("--reason <text>", "what the run is told")
    .option("--key <key>", "a waiting wake of this key is replaced")
    .option("--cancel <key>", "take this wake back")
    .action(async (name: string, flags: WakeFlags) => {
      const { wakeNamedSession } = await import("./manage.ts");
      done(await wakeNamedSession(name, flags));
    });
}

function addRunning(session: Command, script: readonly string[], done: Done): void {
  withWorkFlags(
    session
      .command("run")
      .description(
        "One bounded run of a session: handles what is pending, says what happened and what comes next.",
      )
      .argument("<name>", "the session; arguments after `--` are the script's own"),
  )
    .option("--restart", "give an interrupted run up and begin anew with the same events")
    .option(
      "--on-doubt <how>",
      "what was under way when an interrupted run ended: ask, redo, skip, fail",
      onDoubtFlag,
    )
    .option("--progress", "show agents at work although standard error is no terminal")
    .option("-q, --quiet", "do not show agents at work")
    .option("--json", "the report as one JSON object, the last line of standard output")
    .action(async (name: string, flags: SessionRunFlags) => {
      const { runSessionCommand } = await import("./run.ts");
      done(await runSessionCommand(name, script, flags));
    });
}

function addShowing(session: Command, done: Done): void {
  const load = async (): Promise<typeof import("./show.ts")> => await import("./show.ts");
  session
    .command("list", { isDefault: true })
    .description("What every session does, and when it runs next.")
    .option("--json", "one JSON object per session")
    .action(async (flags: ShowFlags) => done(await (await load()).listSessions(flags)));
  session
    .command("show")
    .description("A session with its last events.")
    .argument("<name>", "the session")
    .option("--events <n>", "so many events (20)")
    .option("--json", "one JSON object")
    .action(async (name: string, flags: ShowFlags) => done(await (await load()).showSession(name, flags)));
}
