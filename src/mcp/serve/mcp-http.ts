/**
 * `harn mcp-serve --http`: the script's MCP server behind Node's HTTP server, at the path `/mcp`.
 *
 * On the machine itself it answers to names of the machine only, so that no web page reaches it through a name of its own
 * (DNS rebinding). Where others can reach it, it wants the token of HARN_MCP_TOKEN from everybody: tools do things.
 */
import { timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
  type Server as ProtocolServer,
} from "@modelcontextprotocol/server";
import { UsageError } from "../../host/command/index.ts";
import { boundTaking, serverOptions, usualBounds } from "../../host/index.ts";

export interface HttpAddress {
  readonly host: string;
  readonly port: number;
}

export const tokenVariable = "HARN_MCP_TOKEN";
const path = "/mcp";
const loopback: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "::1"]);

/** `8080`, `:8080`, `0.0.0.0:8080`, `[::1]:8080`; port 0 takes a free one. */
export function parseHttpAddress(text: string, token: string): HttpAddress {
  const [, value = "", digits = ""] = /^(?:(\[[^\]]+\]|[^:]*):)?(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === "" || port > 65_535)
    throw new UsageError(`--http: expected PORT or HOST:PORT; got ${JSON.stringify(text)}`, "HARN-CLI-003");
  const host = value.replace(/^\[|\]$/g, "") || "127.0.0.1";
  if (!loopback.has(host) && token === "")
    throw new UsageError(
      `--http: ${host} can be reached from other machines; set ${tokenVariable} to a secret that clients send as \`Authorization: Bearer …\``,
      "HARN-CLI-003",
    );
  return { host, port };
}

interface McpHttpServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves until it is closed. `make` gives a server for one request. */
export async function serveMcpHttp(
  make: () => ProtocolServer,
  { host, port }: HttpAddress,
  token: string,
  onError: (error: Error) => void,
): Promise<McpHttpServer> {
  const handler = createMcpHandler(make, { onerror: onError });
  const local = loopback.has(host);
  const server = createServer(serverOptions(usualBounds), (incoming, outgoing) => {
    answer(incoming, outgoing, async (request) => {
      const refused = refusal(request, local, token);
      return refused ?? (await handler.fetch(request));
    }).catch((error: unknown) => {
      onError(error instanceof Error ? error : new Error(String(error)));
      outgoing.destroy();
    });
  });
  server.maxConnections = usualBounds.connections;
  await untilListening(server, host, port);
  const { address, port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${address.includes(":") ? `[${address}]` : address}:${bound}${path}`,
    close: async () => {
      await handler.close();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Why a request is not let in. */
function refusal(request: Request, local: boolean, token: string): Response | undefined {
  if (new URL(request.url).pathname !== path) return new Response("Not found\n", { status: 404 });
  if (token !== "" && !bears(request, token))
    return new Response("A token is needed\n", { status: 401, headers: { "www-authenticate": "Bearer" } });
  if (!local) return undefined;
  return (
    hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
    originValidationResponse(request, localhostAllowedOrigins())
  );
}

function bears(request: Request, token: string): boolean {
  const authorization = Buffer.from(request.headers.get("authorization") ?? "");
  const wanted = Buffer.from(`Bearer ${token}`);
  return authorization.length === wanted.length && timingSafeEqual(authorization, wanted);
}

async function answer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  respond: (request: Request) => Promise<Response>,
): Promise<void> {
  const gone = new AbortController();
  outgoing.once("close", () => gone.abort());
  const response = await respond(requestOf(incoming, gone.signal));
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) {
    outgoing.end();
    return;
  }
  const reader = response.body.getReader();
  gone.signal.addEventListener("abort", () => void reader.cancel().catch(() => {}), { once: true });
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    if (!outgoing.write(next.value) && !(await isBodyTaken(outgoing))) return;
  }
  outgoing.end();
  boundTaking(outgoing);
}

/** Waits until the client has taken what it was sent; false when it has not in its time, and was given up. */
function isBodyTaken(outgoing: ServerResponse): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (well: boolean): void => {
      clearTimeout(timer);
      outgoing.off("drain", drained).off("close", closed);
      resolve(well);
    };
    const drained = (): void => end(true);
    const closed = (): void => end(false);
    const timer = setTimeout(() => outgoing.destroy(), usualBounds.takeMs);
    outgoing.once("drain", drained).once("close", closed);
  });
}

/** Node's request as the web's; the body is read by whoever wants it, within its own limit. */
function requestOf(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = "GET", url = "/", headers } = incoming;
  const pairs = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]],
  );
  const bare = method === "GET" || method === "HEAD";
  const body = bare ? {} : { body: Readable.toWeb(incoming) as ReadableStream, duplex: "half" as const };
  return new Request(new URL(url, "http://localhost"), { method, headers: pairs, signal, ...body });
}

async function untilListening(server: Server, host: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) =>
      reject(new UsageError(`--http: ${host}:${port}: ${error.message}`, "HARN-CLI-011")),
    );
    server.listen(port, host, resolve);
  });
}
