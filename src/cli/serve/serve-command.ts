/** `harn serve`: the HTTP server with its supervisor in this process, until a signal stops it. */
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { FlagsOf } from "../../host/command/flags.ts";
import {
  asUsageError,
  exitCode,
  openPage,
  ownFile,
  ownStatePlaces,
  reportAsJson,
  reportError,
  stopOnSignals,
  UsageError,
  version,
} from "../../host/command/index.ts";
import { ownProcess } from "../../process/index.ts";
import { checkWorkFlags, type RunFlags } from "../../run/setup/index.ts";
import { createApiServer, type Logged, viewerPages } from "../../server/index.ts";
import {
  adminOf,
  areAnswersWritten,
  certificateOf,
  checkServed,
  codeSandbox,
  conversationSupervisor,
  listenFailure,
  manifestFor,
  noteListening,
  recordedRuns,
  servedAgents,
  serveSettings,
  tokenVariable,
  viewerFiles,
} from "../../server/local/index.ts";
import { openStore, type Store } from "../../store/index.ts";
import { presentFields } from "../../values/index.ts";
import type { serveFlags } from "../flags/serving.ts";
import { loginLink } from "./access-commands.ts";

type ServeFlags = FlagsOf<typeof serveFlags>;

const usualPort = 4747;
const loopback = new Set(["127.0.0.1", "::1", "localhost"]);

export async function serveHttpCommand(files: readonly string[], flags: ServeFlags): Promise<number> {
  if (flags.once === true) throw new UsageError("--once: only with `--sessions` alone");
  const tls = certificateOf(flags, reportFromServer);
  const manifest = await manifestFor(files);
  const settings = serveSettings(manifest);
  const agents = await servedAgents(files, manifest, flags.yolo === true ? { yolo_mode: true } : {});
  const { runsCode } = await checkServed(agents, reportFromServer);
  const runsWith = runFlags(flags);
  checkWorkFlags(runsWith);
  const { state } = ownStatePlaces();
  const store = storeToServe(state);
  // Known when it listens.
  let denied = (): readonly string[] => [];
  try {
    const workspaces = settings.workspaces ?? join(state, "workspaces");
    mkdirSync(ownFile(workspaces), { recursive: true, mode: 0o700 });
    const supervisor = await conversationSupervisor({
      store,
      agents,
      flags: runsWith,
      ...(flags.jobs === undefined ? {} : { jobs: flags.jobs }),
      timeout: flags.timeout,
      memory: flags.memory,
      denied: () => denied(),
      report: reportFromServer,
      onLine: (conversation, line) => {
        if (line !== "") reportError(`${conversation} | ${line}\n`);
      },
    });
    const { host = "127.0.0.1", port = settings.port ?? usualPort, allowedHost = [] } = flags;
    const recorded = recordedRuns(state);
    const server = createApiServer({
      store,
      supervisor,
      workspaces,
      version,
      host,
      port,
      tls,
      allowedHosts: allowedHost,
      pages: viewerPages(viewerFiles()),
      recorded,
      writtenAnswers: areAnswersWritten(flags),
      log: (line) => logRequest(flags, line),
    });
    denied = server.ownAddresses;
    const ending = new ServerEnd();
    const unlisten = stopOnSignals((now, signal) => {
      server.drain();
      ending.ask(now, signal);
    });
    let forget = (): void => {};
    try {
      const address = await listening(server.listen(), host, port);
      forget = noteListening(store, address);
      await supervisor.start();
      if (!loopback.has(host) && tls === undefined)
        reportFromServer(
          "the token and everything else travel in clear: use --tls-cert and --tls-key, or a proxy with TLS",
        );
      const admin = adminOf(server.access, state, ownProcess().env[tokenVariable]);
      const url = loginLink(address, server.access.newCode(admin));
      reportFromServer(url);
      if (flags.open === true) openPage(url);
      if (runsCode)
        void codeSandbox().then((found) => {
          if (found !== undefined) reportFromServer(`code of agents runs in the sandbox ${found}`);
        });
      const sessions = flags.sessions === true ? serveSessions(flags) : undefined;
      // Sessions that can't be served end everything.
      sessions?.catch(() => ending.ask(true, undefined));
      await ending.asked;
      // A second signal, or the end of patience, cuts off what the first one lets end.
      void ending.askedNow.then(() => supervisor.stop("now"));
      await Promise.all([supervisor.stop("drain"), sessions]);
    } finally {
      unlisten();
      // Nothing is left of it when it could not begin; else it has ended already.
      await supervisor.stop("now");
      recorded.close();
      await server.close();
      forget();
    }
    return ending.exitCode;
  } catch (error) {
    throw asUsageError(error);
  } finally {
    store.close();
  }
}

const second: Partial<Record<NodeJS.Signals, number>> = {
  SIGINT: exitCode.interrupted,
  SIGTERM: exitCode.terminated,
  SIGHUP: exitCode.hungUp,
};

/** How the server is asked to end. */
class ServerEnd {
  readonly asked: Promise<void>;
  readonly askedNow: Promise<void>;
  /** 0 unless a second signal cut it off. */
  exitCode: number = exitCode.ok;
  private ended = (): void => {};
  private endedNow = (): void => {};

  constructor() {
    this.asked = new Promise((resolve) => {
      this.ended = resolve;
    });
    this.askedNow = new Promise((resolve) => {
      this.endedNow = resolve;
    });
  }

  ask(now: boolean, signal: NodeJS.Signals | undefined): void {
    this.ended();
    if (!now) return;
    if (signal !== undefined) this.exitCode = second[signal] ?? exitCode.ok;
    this.endedNow();
  }
}

/** Paths become absolute: runs work in folders of their own. */
function runFlags({ provider, model, baseUrl, tape, llmMock, allow, deny }: ServeFlags): RunFlags {
  return presentFields({
    provider,
    model,
    baseUrl,
    tape: tape === undefined ? undefined : resolve(tape),
    llmMock: llmMock === undefined ? undefined : resolve(llmMock),
    allow,
    deny,
  });
}

function storeToServe(state: string): Store {
  try {
    return openStore(state);
  } catch (error) {
    throw asUsageError(error);
  }
}

async function listening(address: Promise<string>, host: string, port: number): Promise<string> {
  try {
    return await address;
  } catch (error) {
    throw listenFailure(error, host, port, "--port");
  }
}

async function serveSessions(flags: ServeFlags): Promise<void> {
  const { serveCommand } = await import("../session/serve.ts");
  await serveCommand(flags);
}

function logRequest({ json }: ServeFlags, line: Logged): void {
  if (json === true) reportAsJson({ request: line });
  else if (line.error !== undefined) reportFromServer(line.error);
}

const reportFromServer = (text: string): void => reportError(`harn serve: ${text}\n`);
