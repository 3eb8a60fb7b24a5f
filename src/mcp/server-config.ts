/**
 * How an MCP server is described: an entry of the loop option `mcp_servers`, of `[[mcp]]` in the manifest, or the first
 * argument of `mcp_connect`. The same reader for all three.
 *
 * `${NAME}` in `url`, `env` and `headers` stands for a variable of the environment, put in when the connection opens:
 * what is recorded and shown is the description, never the value.
 */
import { HostError, type McpTarget } from "../host/index.ts";
import type { Runtime } from "../interp/index.ts";
import { Dict, display, List, shownValue, thrown, typeOf, type Value } from "../values/index.ts";
import { mcpServerFields } from "./server-fields.ts";

export interface McpServerConfig {
  /** Part of tool names: `<name>__<tool>`. */
  readonly name: string;
  readonly transport: "stdio" | "http";
  /** Program and arguments of a server over pipes. */
  readonly command: readonly string[];
  readonly url: string;
  readonly env: ReadonlyMap<string, string>;
  readonly headers: ReadonlyMap<string, string>;
  /** Working directory of the server; "" is that of the run. */
  readonly cwd: string;
  /** Of a server over HTTP: what is sent as `Authorization: Bearer`; "" for nothing. */
  readonly authToken: string;
  /** Of a server over HTTP whose authorization server gives tokens to programs; null for none. */
  readonly credentials: { readonly id: string; readonly secret: string; readonly scopes: string } | null;
  /** The revision of the protocol that is offered; "" for the newest. */
  readonly protocolVersion: string;
  /** Of a server of the project: it is started when it is first needed, not before the program starts. */
  readonly lazy: boolean;
  /** Of a server of the project: milliseconds that it stays when nobody holds it any more. */
  readonly keepAliveMs: number;
  /** Path or URL of its server card; "" for none. */
  readonly card: string;
  readonly connectTimeoutMs: number;
  /** Of one request. */
  readonly timeoutMs: number;
  /** How often a server that died is started again, each time by the next request. */
  readonly restarts: number;
  /** Which of its tools a model has to search for: all, none, or those that fit a glob. */
  readonly deferred: boolean | readonly string[];
  /** Folders that the server is told about; null is the working directory of the run, none by default. */
  readonly roots: readonly string[] | null;
  /** Whether the server may ask a model, and which. */
  readonly sampling: SamplingOptions | null;
  /** Whether the server may ask the person. */
  readonly elicitation: boolean;
}

/** What a server may have of the run's models. */
export interface SamplingOptions {
  /** Call options: `provider`, `model` … */
  readonly options: Dict;
  readonly maxTokens: number;
  /** In one connection. */
  readonly maxCalls: number;
}

/** What is waited for unless the entry says otherwise: a first start may download the server. */
export const usualConnectTimeoutMs = 30_000;
export const usualTimeoutMs = 60_000;
/** More often than that, it is not the server's accident. */
const usualRestarts = 3;

const usualSampling = { maxTokens: 4096, maxCalls: 20 };

/** Other spellings of a key. */
const aliases: { readonly [key: string]: string } = {
  "keep-alive-ms": "keep_alive_ms",
  keep_alive: "keep_alive_ms",
};

/** What holds where an entry says nothing. */
export interface EntryDefaults {
  readonly name?: string;
  /** A script that holds a client decides itself what the death of its server means. */
  readonly restarts?: number;
}

/** Reads an entry; `where` begins the error texts: `agent_loop: mcp_servers[0]`. */
export function readServerConfig(entry: Value, where: string, usual: EntryDefaults = {}): McpServerConfig {
  if (!(entry instanceof Dict)) throw thrown(`${where}: expected a dict; got ${typeOf(entry)}`);
  const plain = Dict.of(
    Object.fromEntries([...entry.entries()].map(([key, value]) => [aliases[key] ?? key, value])),
  );
  return new EntryReader(plain, where).read(usual);
}

class EntryReader {
  private readonly entry: Dict;
  private readonly where: string;

  constructor(entry: Dict, where: string) {
    this.entry = entry;
    this.where = where;
  }

  read(usual: EntryDefaults): McpServerConfig {
    const keys = [...mcpServerFields.names()];
    const unknown = this.entry.keys().find((key) => !keys.includes(key));
    if (unknown !== undefined) this.fail(`unknown field \`${unknown}\`; expected one of ${keys.join(", ")}`);
    const url = this.text("url");
    const command = this.command();
    const transport = this.transport(url, command);
    if (transport === "http" && url === "") this.fail("`url` is missing");
    if (transport === "stdio" && (command[0] ?? "") === "") this.fail("`command` is missing");
    if (transport === "http" && !URL.canParse(url.replaceAll(/\$\{\w+\}/g, "x")))
      this.fail(`\`url\` is no URL: ${url}`);
    return {
      name: this.name(usual.name ?? ""),
      transport,
      command,
      url,
      env: this.texts("env"),
      headers: this.texts("headers"),
      cwd: this.text("cwd"),
      card: this.text("card"),
      authToken: this.overHttp(transport, "auth_token"),
      credentials: this.credentials(transport),
      protocolVersion: this.protocolVersion(),
      lazy: this.flag("lazy"),
      keepAliveMs: this.count(this.entry, "keep_alive_ms", 0),
      connectTimeoutMs: this.milliseconds("connect_timeout_ms", usualConnectTimeoutMs),
      timeoutMs: this.milliseconds("timeout_ms", usualTimeoutMs),
      restarts: this.count(this.entry, "restarts", usual.restarts ?? usualRestarts),
      deferred: this.deferred(),
      roots: this.roots(),
      sampling: this.sampling(),
      elicitation: this.flag("elicitation"),
    };
  }

  private overHttp(transport: "stdio" | "http", key: string): string {
    const text = this.text(key);
    if (text !== "" && transport !== "http")
      this.fail(`\`${key}\` is for servers over HTTP; give a server over pipes its secrets in \`env\``);
    return text;
  }

  /** Tokens for programs (the grant `client_credentials`): nobody sits there who could log in. */
  private credentials(transport: "stdio" | "http"): McpServerConfig["credentials"] {
    const id = this.overHttp(transport, "client_id");
    const secret = this.overHttp(transport, "client_secret");
    const scopes = (
      this.value("scopes") instanceof List ? this.list("scopes").join(" ") : this.text("scopes")
    ).trim();
    if (id === "" && secret === "") {
      if (scopes !== "") this.fail("`scopes` needs `client_id` and `client_secret`");
      return null;
    }
    if (id === "") this.fail("`client_secret` needs `client_id`");
    if (secret === "") this.fail("`client_id` needs `client_secret`: a run can't log a person in");
    if (this.text("auth_token") !== "") this.fail("give either `auth_token` or `client_id`, not both");
    return { id, secret, scopes };
  }

  private protocolVersion(): string {
    const version = this.text("protocol_version");
    if (version === "" || /^\d{4}-\d{2}-\d{2}$/.test(version)) return version;
    return this.fail(`\`protocol_version\` must be a date like 2025-11-25; got ${version}`);
  }

  private deferred(): boolean | readonly string[] {
    const value = this.value("defer_loading");
    return value instanceof List ? this.list("defer_loading") : this.flag("defer_loading");
  }

  private roots(): readonly string[] | null {
    const value = this.value("roots");
    if (value === true) return null;
    return value === null || value === false ? [] : this.list("roots");
  }

  private sampling(): SamplingOptions | null {
    const value = this.value("sampling");
    if (!(value instanceof Dict))
      return this.flag("sampling") ? { options: new Dict(), ...usualSampling } : null;
    const maxTokens = this.count(value, "max_tokens", usualSampling.maxTokens);
    const maxCalls = this.count(value, "max_calls", usualSampling.maxCalls);
    return { options: value.without("max_tokens").without("max_calls"), maxTokens, maxCalls };
  }

  private flag(key: string): boolean {
    const value = this.value(key);
    if (value === null || value === false) return false;
    return value === true || this.fail(`\`${key}\` can't be ${display(value)}`);
  }

  private count(dict: Dict, key: string, usual: number): number {
    const value = dict.get(key) ?? null;
    if (value === null) return usual;
    if (typeof value !== "number" || value < 0)
      this.fail(`\`${key}\` must be an int of 0 or more; got ${shownValue(value)}`);
    return value;
  }

  private fail(text: string): never {
    throw thrown(`${this.where}: ${text}`);
  }

  private value(key: string): Value {
    return this.entry.get(key) ?? null;
  }

  private text(key: string): string {
    const value = this.value(key);
    if (value === null) return "";
    if (typeof value !== "string") this.fail(`\`${key}\` must be a string; got ${typeOf(value)}`);
    return value;
  }

  private name(usual: string): string {
    const name = this.text("name") || usual;
    if (name === "") this.fail("`name` is missing");
    // Vendors take nothing else in the names of tools, and `__` separates the server from its tool.
    if (!/^[A-Za-z0-9_-]+$/.test(name) || name.includes("__"))
      this.fail(`\`name\` must be letters, digits, - and single _; got "${name}"`);
    return name;
  }

  private command(): string[] {
    const value = this.value("command");
    const args = this.list("args");
    if (value === null) return args;
    if (typeof value === "string") return [value, ...args];
    return [...this.list("command"), ...args];
  }

  private list(key: string): string[] {
    const value = this.value(key);
    if (value === null) return [];
    if (!(value instanceof List)) this.fail(`\`${key}\` must be a list of strings; got ${typeOf(value)}`);
    return [...value].map((item) =>
      typeof item === "string"
        ? item
        : this.fail(`\`${key}\` must be a list of strings; it holds ${typeOf(item)}`),
    );
  }

  private texts(key: string): Map<string, string> {
    const value = this.value(key);
    if (value === null) return new Map();
    if (!(value instanceof Dict)) this.fail(`\`${key}\` must be a dict of strings; got ${typeOf(value)}`);
    return new Map([...value.entries()].map(([name, text]) => [name, display(text)]));
  }

  private transport(url: string, command: readonly string[]): "stdio" | "http" {
    const input = this.value("transport");
    if (input === null) {
      if (url !== "" && command.length > 0) this.fail("give either `command` or `url`, not both");
      return url === "" ? "stdio" : "http";
    }
    if (input === "stdio" || input === "http") return input;
    return this.fail(`\`transport\` must be "stdio" or "http"; got ${shownValue(input)}`);
  }

  private milliseconds(key: string, usual: number): number {
    const value = this.value(key);
    if (value === null) return usual;
    if (typeof value !== "number" || value < 1)
      this.fail(`\`${key}\` must be a positive int; got ${shownValue(value)}`);
    return value;
  }
}

/** Where the server is, variables put in. Call it inside an effect. */
export function targetOf(config: McpServerConfig, runtime: Runtime): McpTarget {
  const { host } = runtime;
  const filled = (text: string): string =>
    text.replaceAll(/\$\{(\w+)\}/g, (_whole, name: string) => {
      const value = host.env.get(name);
      if (value === undefined) throw new HostError("ENOENT", `the environment variable ${name} is not set`);
      return value;
    });
  const all = (texts: ReadonlyMap<string, string>): Record<string, string> =>
    Object.fromEntries([...texts].map(([name, text]) => [name, filled(text)]));
  const { authToken, credentials, protocolVersion } = config;
  const version = protocolVersion === "" ? {} : { protocolVersion };
  if (config.transport === "http") {
    const headers = all(config.headers);
    if (authToken !== "") headers.authorization = `Bearer ${filled(authToken)}`;
    const { id, secret, scopes } = credentials ?? { id: "", secret: "", scopes: "" };
    const own =
      credentials === null ? {} : { credentials: { id: filled(id), secret: filled(secret), scopes } };
    return { transport: "http", url: filled(config.url), headers, ...own, ...version };
  }
  const [command = "", ...args] = config.command;
  const cwd = config.cwd === "" || config.cwd.startsWith("/") ? config.cwd : `${host.cwd}/${config.cwd}`;
  return {
    transport: "stdio",
    command,
    args,
    env: all(config.env),
    cwd: cwd === "" ? host.cwd : cwd,
    ...version,
  };
}
