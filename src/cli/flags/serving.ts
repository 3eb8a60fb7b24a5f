/** The flags of the commands that serve. */
import { bool, int, joined, many, oneOf, path, text } from "../../host/command/flags.ts";
import { doubts, limitFlags, serverFlags, workFlags } from "../../run/setup/index.ts";

export const daemonRunFlags = {
  name: text("name", "its name (that of the file)"),
  foreground: bool("work in this process, until Ctrl-C"),
  skillDir: joined("folder", "look for skills here first"),
  ...workFlags,
  ...limitFlags("a turn"),
};

export const triggerFlags = {
  wait: bool("until it has been handled; shows what came of it"),
  retry: bool("lets events that were given up wait again"),
};

export const newFlags = {
  agent: text("name", "whose learnings and MEMORY.md it shares (default: the name of the script)"),
  environment: text("name", "one of `[environments]` in harn.toml"),
  attach: many("file", "a file or folder that every run is told; may be given again"),
  message: text("text", "the first message"),
};

export const sendFlags = {
  result: text("use", "it is the result of this tool use"),
  failed: bool("with --result: the tool did not work"),
};

export const wakeFlags = {
  in: text("time", "from now: 90s, 15m, 2h, 1d"),
  at: text("moment", "ISO 8601 with Z or an offset"),
  reason: text("text", "what the run is told"),
  key: text("key", "a waiting wake of this key is replaced"),
  cancel: text("key", "take this wake back"),
};

export const sessionRunFlags = {
  restart: bool("give an interrupted run up and begin anew with the same events"),
  onDoubt: oneOf("how", "what was under way when an interrupted run ended: ask, redo, skip, fail", doubts),
  progress: bool("show agents at work although standard error is no terminal"),
  quiet: bool("do not show agents at work", { short: "-q" }),
  json: bool("the report as one JSON object, the last line of standard output"),
  ...workFlags,
};

export const sessionShowFlags = {
  events: int("n", "so many events (20)", { min: 0, max: 100_000 }),
  json: bool("one JSON object"),
};

const { jobs, ...whereServed } = serverFlags;

export const serveFlags = {
  ...whereServed,
  tlsCert: path("file", "a certificate (PEM): serve over HTTPS"),
  tlsKey: path("file", "its key (PEM)"),
  open: bool("open the page in a browser"),
  yolo: bool("agents ask for no approval (`yolo_mode` of their configuration)"),
  sessions: bool("the sessions of the project, too; without FILE and --port only those"),
  jobs,
  once: bool("with sessions alone: end when nothing is due any more"),
  json: bool("requests, or reports of runs, as lines of JSON"),
  ...workFlags,
  ...limitFlags("a run", "30m of sessions, no limit of conversations"),
};

export const revokeFlags = {
  keepRuns: bool("its runs go on"),
};

export const tokenFlags = {
  role: oneOf("role", "read: look; write: own conversations; admin: everything (write)", [
    "read",
    "write",
    "admin",
  ]),
  json: bool("as JSON"),
};

export const mcpServeFlags = {
  card: path("file", "a server card (JSON) that clients are told"),
  http: text("address", "serve over HTTP at [HOST:]PORT, on this machine unless a host is named"),
  ...workFlags,
};
