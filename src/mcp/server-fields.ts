/** The rows of the description of an MCP server. */
import { readRows, row, rows } from "../table/index.ts";
import { Dict, display } from "../values/index.ts";

/** What a server may have of the run's models, beside the options of its calls (`provider`, `model` …). */
const samplingFields = rows(
  () => ({
    max_tokens: row.int("Tokens of an answer at most.", 4096, { min: 0 }).bounds(),
    max_calls: row.int("Calls in one connection.", 20, { min: 0 }).bounds(),
  }),
  { others: "options of its calls" },
);

const textsRow = () => row.list(row.text());
/** A text, or a list of them. */
const texts = (doc: string) => row.either([row.text(), textsRow()], doc);
/** Texts by name; what is no text is shown as one. */
const textMap = (doc: string) =>
  row
    .dict(null, doc)
    .to(
      (read): ReadonlyMap<string, string> =>
        new Map([...read.entries()].map(([name, one]) => [name, display(one)])),
    )
    .or<ReadonlyMap<string, string>>(new Map());
/** Vendors take nothing else in the names of tools, and `__` separates the server from its tool. */
const isServerName = (name: string): boolean => /^[A-Za-z0-9_-]*$/.test(name) && !name.includes("__");
const durationRow = (doc: string, usual: number) => row.duration(doc, usual, { min: 1 }).bounds();

/** How a server is described; `mcp_servers`, `[[mcp]]`, `mcp_connect`. */
export const mcpServerFields = rows(
  () => ({
    name: row.text("Part of the names of its tools.").where("letters, digits, - and single _", isServerName),
    transport: row.oneOf(["stdio", "http"], "How it is reached; by `url` unless given."),
    command: texts("The program of a server over pipes."),
    args: row.list(row.text(), "Its arguments.").or<readonly string[]>([]),
    url: row
      .text("Where a server over HTTP is.")
      .where("a URL", (url) => url === "" || URL.canParse(url.replaceAll(/\$\{\w+\}/g, "x")))
      .or(""),
    env: textMap("Variables that it gets."),
    headers: textMap("Headers of every request."),
    cwd: row.text("Where it runs.").or(""),
    card: row.text("The path or URL of its card.").or(""),
    // A first start may download the server.
    connect_timeout_ms: durationRow("Milliseconds until it answers.", 30_000),
    timeout_ms: durationRow("Milliseconds that a request may take.", 60_000),
    restarts: row
      .int("How often it is started again, each time by the next request.", null, { min: 0 })
      .bounds(),
    defer_loading: row
      .either([row.bool(), textsRow()], "Models must search for its tools: all, none, or globs.")
      .or(false),
    roots: row.either([row.bool(), textsRow()], "Folders that it is told about.").bounds().or(false),
    sampling: row
      .either(
        [row.bool(), row.dict(null).with({ nested: samplingFields })],
        "Whether it may ask a model, and which.",
      )
      .to((value, place) =>
        value === false
          ? null
          : {
              ...readRows(value === true ? null : value, samplingFields, place),
              options: value === true ? new Dict() : value.without("max_tokens").without("max_calls"),
            },
      )
      .bounds(),
    elicitation: row.bool("It may ask the person.", false).bounds(),
    auth_token: row.text("The token of a server over HTTP.").secret().or(""),
    client_id: row.text("What its authorization server knows the run as.").or(""),
    client_secret: row.text("The secret that goes with it.").secret().or(""),
    scopes: texts("What the token is to allow."),
    protocol_version: row
      .text("The revision of the protocol that is offered.")
      .where("a date like 2025-11-25", (date) => /^(\d{4}-\d{2}-\d{2})?$/.test(date))
      .or(""),
    lazy: row.bool("It is started when it is first needed, not before the program.", false),
    keep_alive_ms: row
      .int("Milliseconds that it stays when nobody holds it.", 0, { min: 0 })
      .bounds()
      .alias("keep-alive-ms", "keep_alive"),
  }),
  { strict: true },
);
