/** `harn serve` and what belongs to it, declared for commander. */

import type { Command } from "commander";
import { UsageError } from "../../host/command/index.ts";
import { collected } from "../repeated-flag.ts";
import type { RevokeFlags, ServeFlags, TokenFlags } from "./flag-types.ts";
import { count, withLimitFlags, withWorkFlags } from "./flags.ts";

type Done = (code: number) => void;

const roles = ["read", "write", "admin"];
const maxPort = 65_535;

export function addServeCommands(program: Command, done: Done): void {
  const serve = program
    .command("serve")
    .description(
      "Serves agents over HTTP with a page to watch them, runs the sessions that are due, or both.",
    )
    .argument(
      "[files...]",
      "scripts, each an agent named by its file; none: those of `[agents]` in harn.toml",
    )
    // What follows a subcommand's name is the subcommand's.
    .enablePositionalOptions();
  withLimitFlags(
    withWorkFlags(
      serve
        .option("--port <n>", "where to listen; 0 takes a free one (4747)", count("--port", maxPort, 0))
        .option("--host <address>", "which address to listen at (127.0.0.1)")
        .option(
          "--allowed-host <name>",
          "a name that requests may address, besides the own; may be given again",
          collected,
        )
        .option("--tls-cert <file>", "a certificate (PEM): serve over HTTPS")
        .option("--tls-key <file>", "its key (PEM)")
        .option("--open", "open the page in a browser")
        .option("--yolo", "agents ask for no approval (`yolo_mode` of their configuration)")
        .option("--sessions", "the sessions of the project, too; without FILE and --port only those"),
    ),
    "a run",
  )
    .option("--jobs <n>", "runs at once, each in a process of its own (4)", count("--jobs", 256))
    .option("--once", "with sessions alone: end when nothing is due any more")
    .option("--json", "requests, or reports of runs, as lines of JSON")
    .action(async (files: string[], flags: ServeFlags) => {
      if (flags.sessions === true && files.length === 0 && flags.port === undefined) {
        const { serveCommand } = await import("../session/serve.ts");
        done(await serveCommand(flags));
        return;
      }
      const { serveHttpCommand } = await import("./serve-command.ts");
      done(await serveHttpCommand(files, flags));
    });

  serve
    .command("url")
    .description("A fresh login link of the server that runs.")
    .option("--json", "as JSON")
    .action(async (flags: TokenFlags) => {
      const { urlCommand } = await import("./access-commands.ts");
      done(await urlCommand(flags));
    });
  serve
    .command("revoke")
    .description(
      "Ends the access of a principal: its token, logins and streams; its runs are parked, and go on when somebody resumes them.",
    )
    .argument("<name>", "whose it is")
    .option("--keep-runs", "its runs go on")
    .action(async (name: string, flags: RevokeFlags) => {
      const { revokeAccess } = await import("./access-commands.ts");
      done(revokeAccess(name, flags));
    });
  const token = serve.command("token").description("Who may use the server.");
  token
    .command("list", { isDefault: true })
    .description("Names and roles.")
    .option("--json", "one JSON object per line")
    .action(async (flags: TokenFlags) => {
      const { listTokens } = await import("./access-commands.ts");
      done(listTokens(flags));
    });
  token
    .command("add")
    .description("Makes a token, and shows it once.")
    .argument("<name>", "whose it is")
    .option("--role <role>", "read: look; write: own conversations; admin: everything (write)", role)
    .option("--json", "as JSON")
    .action(async (name: string, flags: TokenFlags) => {
      const { addToken } = await import("./access-commands.ts");
      done(addToken(name, flags));
    });
  token
    .command("revoke")
    .description("Ends a token, the logins that came of it, and their streams. Runs go on.")
    .argument("<name>", "whose it is")
    .action(async (name: string) => {
      const { revokeToken } = await import("./access-commands.ts");
      done(revokeToken(name));
    });
}

function role(text: string): string {
  if (roles.includes(text)) return text;
  throw new UsageError(`--role: expected read, write or admin, got ${text}`);
}
