/** `harn daemon`, declared for commander. */
import type { Command } from "commander";
import { continued, withLimitFlags, withWorkFlags } from "../serve/flags.ts";
import type { TriggerFlags } from "./manage.ts";
import type { DaemonRunFlags } from "./start.ts";

type Done = (code: number) => void;

export function addDaemonCommands(program: Command, script: readonly string[], done: Done): void {
  const daemon = program
    .command("daemon")
    .description("Agents in the background that idle until an event, a timer or a file wakes them.");
  addDaemonRun(daemon, script, done);
  addManaging(daemon, done);
}

function addDaemonRun(daemon: Command, script: readonly string[], done: Done): void {
  const command = daemon
    .command("run")
    .description("Starts the daemon of a script in the background, or resumes it.")
    .argument(
      "<file>",
      "a script with `pub fn daemon()` that gives the config; arguments after `--` are its own",
    )
    .option("--name <name>", "its name (that of the file)")
    .option("--foreground", "work in this process, until Ctrl-C");
  withLimitFlags(withWorkFlags(command, "the script"), "a turn")
    .option("--skill-dir <folder>", "look for skills here first", continued)
    .action(async (file: string, flags: DaemonRunFlags) => {
      const { runDaemonCommand } = await import("./start.ts");
      done(await runDaemonCommand(file, script, flags));
    });
  daemon.command("serve", { hidden: true }).action(async () => {
    const { serveDaemonCommand } = await import("./start.ts");
    done(await serveDaemonCommand());
  });
}

function addManaging(daemon: Command, done: Done): void {
  const load = async (): Promise<typeof import("./manage.ts")> => await import("./manage.ts");
  daemon
    .command("list", { isDefault: true })
    .description("The daemons of this project: what they do, what waits, which of them are dead.")
    .option("--json", "one JSON object per daemon")
    .action(async (flags: { json?: boolean }) => done(await (await load()).listDaemons(flags)));
  daemon
    .command("trigger")
    .description("Gives a daemon an event; it is kept until it has been handled.")
    .argument("<name>")
    .argument("[event]", "JSON, or a text")
    .option("--wait", "until it has been handled; shows what came of it")
    .option("--retry", "lets events that were given up wait again")
    .action(async (name: string, event: string | undefined, flags: TriggerFlags) =>
      done(await (await load()).triggerDaemonCommand(name, event, flags)),
    );
  daemon
    .command("stop")
    .description("Stops a daemon after the turn in progress; what waits is handled when it runs again.")
    .argument("<name>")
    .option("--now", "stop the turn, too: it goes on when the daemon runs again")
    .action(async (name: string, flags: { now?: boolean }) =>
      done(await (await load()).stopDaemonCommand(name, flags)),
    );
  daemon
    .command("log")
    .description("The end of a daemon's log.")
    .argument("<name>")
    .option("-n, --lines <n>", "so many lines (50)")
    .action(async (name: string, flags: { lines?: string }) =>
      done(await (await load()).logOfDaemon(name, flags)),
    );
  daemon
    .command("remove")
    .description("Forgets a daemon that does not run: its state, its log and what waits.")
    .argument("<name>")
    .action(async (name: string) => done(await (await load()).removeDaemonCommand(name)));
}
