/** `harn/server`: the server of `harn serve` inside a program of one's own. */
import { resolve } from "node:path";
import { asUsageError, UsageError } from "../host/command/index.ts";
import { inProcess } from "../process/index.ts";
import { madeProcess } from "../process/made-process.ts";
import type { WorkFlags } from "../run/setup/index.ts";
import {
  checkedServer,
  type Fetch,
  listenFailure,
  type OpenedServer,
  openServer,
  type PrincipalRole,
  type ServerSettings,
} from "../server/local/library.ts";
import { presentFields } from "../values/index.ts";
import { programWords } from "./engine/program-words.ts";
import { HarnError, harnError } from "./errors.ts";
import { CallSite, calledBy } from "./handles/call-site.ts";
import { folderThere } from "./own-folders.ts";
import { type CreateServerOptions, checkPrincipal, checkServer, type ServerFlags } from "./server-options.ts";

export type { Fetch, Logged, PrincipalRole } from "../server/local/library.ts";
export type { Agent, CreateServerOptions, ServerFlags } from "./server-options.ts";

export interface HarnServer {
  /** A request without sockets; it counts as one of this machine. */
  readonly fetch: Fetch;
  /** Begins to take work, and listens; gives the address: `http://127.0.0.1:4747`. Called again, the same address. */
  listen(): Promise<string>;
  /** A principal's token, told once; `undefined` when there is one of this name. */
  addPrincipal(name: string, role: PrincipalRole): string | undefined;
  /** Lets runs come to a rest (10 s), ends streams and connections, closes the store. */
  close(): Promise<void>;
}

/** Rejects with a `HarnError` that names every option that is wrong; nothing stays open then. */
export async function createServer(options: CreateServerOptions): Promise<HarnServer> {
  const site = new CallSite(createServer);
  try {
    // In JavaScript it may be called with nothing.
    checkServer(options ?? {});
    const settings = serverSettings(options);
    return new OwnServer(settings, await openedServer(settings));
  } catch (error) {
    throw serverFailure(error, site);
  }
}

function serverSettings({
  project,
  flags = {},
  report = () => {},
  ...rest
}: CreateServerOptions): ServerSettings {
  const folder = folderThere("createServer", "project", project ?? ".");
  return {
    host: "127.0.0.1",
    port: 0,
    ...presentFields(rest),
    agents: rest.agents,
    project: folder,
    flags: flagsAsText(flags, folder),
    report,
  };
}

/** As flags of a command line are: lists with commas, paths that hold in the folders where runs work. */
function flagsAsText({ allow, deny, tape, llmMock, ...rest }: ServerFlags, project: string): WorkFlags {
  const joined = (entries: readonly string[] | string | undefined): string | undefined =>
    entries === undefined ? undefined : [entries].flat().join(",");
  const absolute = (path: string | undefined): string | undefined =>
    path === undefined ? undefined : resolve(project, path);
  return presentFields({
    ...rest,
    allow: joined(allow),
    deny: joined(deny),
    tape: absolute(tape),
    llmMock: absolute(llmMock),
  });
}

/** What is said of scripts while they are looked at is part of why there is no server, or for whoever operates it. */
async function openedServer(settings: ServerSettings): Promise<OpenedServer> {
  const said: string[] = [];
  const own = madeProcess({
    cwd: settings.project,
    env: process.env,
    words: serverWords,
    stdout: () => {},
    stderr: (text) => said.push(text),
    exit: (code) => harnError("HARN-CLI-013", `the check of a script ends its process (${code ?? 0})`),
  });
  try {
    const agents = await inProcess(own, () => checkedServer(settings));
    if (said.length > 0) settings.report(said.join("").trimEnd());
    return await openServer(settings, agents);
  } catch (error) {
    if (!(error instanceof UsageError) || said.length === 0) throw error;
    throw new UsageError(`${error.message}\n${said.join("").trimEnd()}`, error.code);
  }
}

const serverWords = {
  ...programWords(undefined),
  flag: (name: string) =>
    `\`flags.${name.slice(2).replaceAll(/-[a-z]/g, (part) => part.slice(1).toUpperCase())}\``,
};

/** With the stack of the program's call: our own frames tell nobody anything. */
function serverFailure(thrown: unknown, site: CallSite): HarnError {
  const error = asUsageError(thrown);
  const failure =
    error instanceof HarnError
      ? error
      : error instanceof UsageError
        ? harnError(error.code, error.message)
        : harnError("HARN-CLI-013", `internal error, please report it: ${shownCause(error)}`, {
            cause: error,
          });
  site.mark(failure);
  return failure;
}

const shownCause = (error: unknown): string => (error instanceof Error ? error.message : String(error));

class OwnServer implements HarnServer {
  readonly fetch: Fetch;
  private readonly settings: ServerSettings;
  private readonly server: OpenedServer;
  private listening: Promise<string> | undefined;
  private closing: Promise<void> | undefined;

  constructor(settings: ServerSettings, server: OpenedServer) {
    this.settings = settings;
    this.server = server;
    this.fetch = server.api.fetch;
  }

  listen = async (): Promise<string> => {
    const site = new CallSite(this.listen);
    try {
      this.mustBeOpen();
      this.listening ??= this.begin();
      return await this.listening;
    } catch (error) {
      throw serverFailure(error, site);
    }
  };

  addPrincipal = (name: string, role: PrincipalRole): string | undefined =>
    calledBy(this.addPrincipal, () => {
      this.mustBeOpen();
      checkPrincipal(name, role);
      return this.server.api.access.add(name, role);
    });

  close = (): Promise<void> => {
    this.closing ??= this.server.close();
    return this.closing;
  };

  private async begin(): Promise<string> {
    const { host, port } = this.settings;
    const address = await this.server.api.listen().catch((error: unknown) => {
      // Another try may find it free.
      this.listening = undefined;
      throw listenFailure(error, host, port, "`port`");
    });
    await this.server.start();
    return address;
  }

  private mustBeOpen(): void {
    if (this.closing !== undefined)
      throw harnError("HARN-LIB-010", "this server is closed: `createServer` makes another one");
  }
}
