/**
 * How an MCP server is described: an entry of the loop option `mcp_servers`, of `[[mcp]]` in the manifest, or the first
 * argument of `mcp_connect`. The same reader for all three.
 *
 * `${NAME}` in `url`, `env` and `headers` stands for a variable of the environment, put in when the connection opens:
 * what is recorded and shown is the description, never the value.
 */
import { HostError, type McpTarget } from "../host/index.ts";
import type { Runtime } from "../interp/index.ts";
import { at, type Read, row } from "../table/index.ts";
import { thrown, type Value } from "../values/index.ts";
import { mcpServerFields } from "./server-fields.ts";

type ServerRead = Read<typeof mcpServerFields>;

export interface McpServerConfig
  extends Omit<ServerRead, "name" | "command" | "args" | "clientId" | "clientSecret" | "scopes" | "roots"> {
  readonly name: string;
  readonly transport: "stdio" | "http";
  /** Program and arguments of a server over pipes. */
  readonly command: readonly string[];
  /** Of a server over HTTP whose authorization server gives tokens to programs; null for none. */
  readonly credentials: { readonly id: string; readonly secret: string; readonly scopes: string } | null;
  readonly restarts: number;
  /** Folders that the server is told about; null is the working directory of the run, none by default. */
  readonly roots: readonly string[] | null;
}

/** More often than that, it is not the server's accident. */
const usualRestarts = 3;

/** What holds where an entry says nothing. */
export interface EntryDefaults {
  readonly name?: string;
  /** A script that holds a client decides itself what the death of its server means. */
  readonly restarts?: number;
}

const textsOf = (value: string | readonly string[] | null): readonly string[] =>
  value === null ? [] : typeof value === "string" ? [value] : value;

/** Reads an entry; `where` begins the error texts: `agent_loop: mcp_servers[0]`. */
export function serverConfigOf(entry: Value, where: string, usual: EntryDefaults = {}): McpServerConfig {
  const fail = (text: string): never => {
    throw thrown(`${where}: ${text}`);
  };
  const { args, clientId, clientSecret, scopes, roots, ...read } = row
    .dict(mcpServerFields)
    .read(entry, at(where));
  const command = [...textsOf(read.command), ...args];
  if (read.transport === null && read.url !== "" && command.length > 0)
    fail("give either `command` or `url`, not both");
  const transport = read.transport ?? (read.url === "" ? "stdio" : "http");
  if (transport === "http" && read.url === "") fail("`url` is missing");
  if (transport === "stdio" && (command[0] ?? "") === "") fail("`command` is missing");
  const overHttp = { auth_token: read.authToken, client_id: clientId, client_secret: clientSecret };
  const secret = Object.entries(overHttp).find(([, text]) => text !== "");
  if (secret !== undefined && transport !== "http")
    fail(`\`${secret[0]}\` is for servers over HTTP; give a server over pipes its secrets in \`env\``);
  return {
    ...read,
    name: read.name || usual.name || fail("`name` is missing"),
    transport,
    command,
    credentials: credentialsOf(
      clientId,
      clientSecret,
      textsOf(scopes).join(" ").trim(),
      read.authToken,
      fail,
    ),
    restarts: read.restarts ?? usual.restarts ?? usualRestarts,
    roots: roots === true ? null : roots === false ? [] : roots,
  };
}

/** Tokens for programs (the grant `client_credentials`): nobody sits there who could log in. */
function credentialsOf(
  id: string,
  secret: string,
  scopes: string,
  token: string,
  fail: (text: string) => never,
): McpServerConfig["credentials"] {
  if (id === "" && secret === "")
    return scopes === "" ? null : fail("`scopes` needs `client_id` and `client_secret`");
  if (id === "") return fail("`client_secret` needs `client_id`");
  if (secret === "") return fail("`client_id` needs `client_secret`: a run can't log a person in");
  return token === "" ? { id, secret, scopes } : fail("give either `auth_token` or `client_id`, not both");
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
