/** Commands that serve: daemons, sessions, agents over HTTP, to editors, over MCP. */
import { bool, int } from "../../host/command/flags.ts";
import { modelFlags } from "../../run/setup/index.ts";
import {
  daemonRunFlags,
  mcpServeFlags,
  newFlags,
  revokeFlags,
  sendFlags,
  serveFlags,
  sessionRunFlags,
  sessionShowFlags,
  tokenFlags,
  triggerFlags,
  wakeFlags,
} from "../flags/serving.ts";
import { type Command, command } from "./command.ts";

export const serving: readonly Command[] = [
  command({
    name: "daemon",
    summary: "Agents in the background that idle until an event, a timer or a file wakes them.",
    readme: [
      [
        "`harn daemon run FILE`",
        "an agent in the background that events, a timer or files wake; survives crashes: `docs/daemons.md`",
      ],
    ],
  }),
  command({
    name: "daemon run",
    summary: "Starts the daemon of a script in the background, or resumes it.",
    args: [
      ["<file>", "a script with `pub fn daemon()` that gives the config; arguments after `--` are its own"],
    ],
    flags: daemonRunFlags,
    examples: ["harn daemon run watch.harn --name watch"],
    run: async ([file], flags, { script }) =>
      (await import("../daemon/start.ts")).runDaemonCommand(file, script, flags),
  }),
  command({
    name: "daemon serve",
    summary: "",
    hidden: true,
    run: async () => (await import("../daemon/start.ts")).serveDaemonCommand(),
  }),
  command({
    name: "daemon list",
    summary: "The daemons of this project: what they do, what waits, which of them are dead.",
    isDefault: true,
    flags: {
      json: bool("one JSON object per daemon"),
    },
    examples: ["harn daemon list"],
    run: async (_args, flags) => (await import("../daemon/manage.ts")).listDaemons(flags),
  }),
  command({
    name: "daemon trigger",
    summary: "Gives a daemon an event; it is kept until it has been handled.",
    args: [
      ["<name>", ""],
      ["[event]", "JSON, or a text"],
    ],
    flags: triggerFlags,
    examples: ['harn daemon trigger watch "look again" --wait'],
    run: async ([name, event], flags) =>
      (await import("../daemon/manage.ts")).triggerDaemonCommand(name, event, flags),
  }),
  command({
    name: "daemon stop",
    summary: "Stops a daemon after the turn in progress; what waits is handled when it runs again.",
    args: [["<name>", ""]],
    flags: {
      now: bool("stop the turn, too: it goes on when the daemon runs again"),
    },
    examples: ["harn daemon stop watch"],
    run: async ([name], flags) => (await import("../daemon/manage.ts")).stopDaemonCommand(name, flags),
  }),
  command({
    name: "daemon log",
    summary: "The end of a daemon's log.",
    args: [["<name>", ""]],
    flags: {
      lines: int("n", "so many lines (50)", { short: "-n" }),
    },
    examples: ["harn daemon log watch -n 20"],
    run: async ([name], flags) => (await import("../daemon/manage.ts")).logOfDaemon(name, flags),
  }),
  command({
    name: "daemon remove",
    summary: "Forgets a daemon that does not run: its state, its log and what waits.",
    args: [["<name>", ""]],
    examples: ["harn daemon remove watch"],
    run: async ([name]) => (await import("../daemon/manage.ts")).removeDaemonCommand(name),
  }),
  command({
    name: "pool-worker",
    summary: "",
    hidden: true,
    run: async (_args, _flags, { runCommands }) =>
      (await import("../pool/pool-worker.ts")).poolWorkerCommand(runCommands),
  }),
  command({
    name: "session",
    summary: "Work that outlives processes: mailboxes and agents that look at them in bounded runs.",
    readme: [
      [
        "`harn session new\\|send\\|run\\|list\\|show\\|wake\\|close`",
        "work that outlives processes, in runs with limits; `harn serve --sessions` runs what is due; `docs/sessions.md`",
      ],
    ],
  }),
  command({
    name: "session new",
    summary: "Makes a session that a script works on (it calls `session_run`).",
    args: [
      ["<name>", "letters, digits, `.`, `_`, `-`"],
      ["<script>", "what `harn session run` runs"],
    ],
    flags: newFlags,
    examples: ['harn session new inbox triage.harn --message "begin"'],
    run: async ([name, script], flags) =>
      (await import("../session/manage.ts")).newSession(name, script, flags),
  }),
  command({
    name: "session send",
    summary: "Sends a message, or the result of a custom tool.",
    args: [
      ["<name>", "the session"],
      ["<text>", "the message, `-` for standard input; with --result JSON, or text"],
    ],
    flags: sendFlags,
    examples: ['harn session send inbox "one more thing"'],
    run: async ([name, text], flags) =>
      (await import("../session/manage.ts")).sendToSession(name, text, flags),
  }),
  command({
    name: "session wake",
    summary: "Queues a wake, or takes one back.",
    args: [["<name>", "the session"]],
    flags: wakeFlags,
    examples: ['harn session wake inbox --in 15m --reason "look again"'],
    run: async ([name], flags) => (await import("../session/manage.ts")).wakeNamedSession(name, flags),
  }),
  command({
    name: "session close",
    summary: "Closes a session: nothing runs it any more, what was said stays readable.",
    args: [["<name>", "the session"]],
    examples: ["harn session close inbox"],
    run: async ([name]) => (await import("../session/manage.ts")).closeNamedSession(name),
  }),
  command({
    name: "session run",
    summary: "One bounded run of a session: handles what is pending, says what happened and what comes next.",
    args: [["<name>", "the session; arguments after `--` are the script's own"]],
    flags: sessionRunFlags,
    examples: ["harn session run inbox --json"],
    run: async ([name], flags, { script }) =>
      (await import("../session/run.ts")).runSessionCommand(name, script, flags),
  }),
  command({
    name: "session list",
    summary: "What every session does, and when it runs next.",
    isDefault: true,
    flags: {
      json: bool("one JSON object per session"),
    },
    examples: ["harn session list"],
    run: async (_args, flags) => (await import("../session/show.ts")).listSessions(flags),
  }),
  command({
    name: "session show",
    summary: "A session with its last events.",
    args: [["<name>", "the session"]],
    flags: sessionShowFlags,
    examples: ["harn session show inbox --events 50"],
    run: async ([name], flags) => (await import("../session/show.ts")).showSession(name, flags),
  }),
  command({
    name: "serve",
    summary: "Serves agents over HTTP with a page to watch them, runs the sessions that are due, or both.",
    positional: true,
    args: [
      ["[files...]", "scripts, each an agent named by its file; none: those of `[agents]` in harn.toml"],
    ],
    flags: serveFlags,
    readme: [
      [
        "`harn serve [FILE…]`",
        "serves agents over HTTP: conversations that survive everything, live events, questions, stopping; `harn serve url\\|token\\|revoke`; `docs/serve.md`",
      ],
    ],
    examples: ["harn serve agent.harn --open", "harn serve --sessions --once"],
    run: async ([files], flags) => {
      if (flags.sessions === true && files.length === 0 && flags.port === undefined)
        return await (await import("../session/serve.ts")).serveCommand(flags);
      return await (await import("../serve/serve-command.ts")).serveHttpCommand(files, flags);
    },
  }),
  command({
    name: "serve url",
    summary: "A fresh login link of the server that runs.",
    positional: true,
    flags: {
      json: bool("as JSON"),
    },
    examples: ["harn serve url"],
    run: async (_args, flags) => (await import("../serve/access-commands.ts")).urlCommand(flags),
  }),
  command({
    name: "serve revoke",
    summary:
      "Ends the access of a principal: its token, logins and streams; its runs are parked, and go on when somebody resumes them.",
    positional: true,
    args: [["<name>", "whose it is"]],
    flags: revokeFlags,
    examples: ["harn serve revoke ann --keep-runs"],
    run: async ([name], flags) => (await import("../serve/access-commands.ts")).revokeAccess(name, flags),
  }),
  command({
    name: "serve token",
    summary: "Who may use the server.",
    positional: true,
  }),
  command({
    name: "serve token list",
    summary: "Names and roles.",
    isDefault: true,
    positional: true,
    flags: {
      json: bool("one JSON object per line"),
    },
    examples: ["harn serve token list"],
    run: async (_args, flags) => (await import("../serve/access-commands.ts")).listTokens(flags),
  }),
  command({
    name: "serve token add",
    summary: "Makes a token, and shows it once.",
    positional: true,
    args: [["<name>", "whose it is"]],
    flags: tokenFlags,
    examples: ["harn serve token add ann --role read"],
    run: async ([name], flags) => (await import("../serve/access-commands.ts")).addToken(name, flags),
  }),
  command({
    name: "serve token revoke",
    summary: "Ends a token, the logins that came of it, and their streams. Runs go on.",
    positional: true,
    args: [["<name>", "whose it is"]],
    examples: ["harn serve token revoke ann"],
    run: async ([name]) => (await import("../serve/access-commands.ts")).revokeToken(name),
  }),
  command({
    name: "acp",
    summary: "Serves a script as an agent to an editor, over stdio, in the Agent Client Protocol.",
    args: [["<file>", "the script; arguments after `--` are its own, after the prompt and the session's id"]],
    flags: {
      ...modelFlags,
    },
    readme: [
      ["`harn acp FILE`", "serves a script as an agent to an editor (Agent Client Protocol); `docs/acp.md`"],
    ],
    examples: ["harn acp agent.harn"],
    run: async ([file], flags, { script }) =>
      (await import("../acp/acp-command.ts")).acpCommand(file, script, flags),
  }),
  command({
    name: "mcp-serve",
    summary:
      "Serves the tools, resources and prompts that a script registers to an MCP client, over stdio or HTTP.",
    args: [["<file>", "the script; arguments after `--` are its own"]],
    flags: mcpServeFlags,
    readme: [
      [
        "`harn mcp-serve FILE`",
        "serves a script's tools, resources and prompts to MCP clients; `docs/mcp.md`",
      ],
    ],
    examples: ["harn mcp-serve tools.harn --http 8080"],
    run: async ([file], flags, { script }) =>
      (await import("../mcp/mcp-serve-command.ts")).mcpServeCommand(file, script, flags),
  }),
];
