/**
 * A report over HTTP, on a free port of this machine: for one browser that has the address, which ends in a secret. It ends
 * when its page has been closed for a minute, or on Ctrl-C.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exitCode, openPage, reportError, stopOnSignals } from "../../host/command/index.ts";

/** Milliseconds after the last page was closed. */
const patience = 60_000;

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

export async function showInBrowser(html: string, opens: boolean): Promise<number> {
  // The replay's last stretch of work takes what listens for Ctrl-C down with it when it ends: wait for that.
  await new Promise((resolve) => setImmediate(resolve));
  const path = `/${randomBytes(16).toString("hex")}/`;
  const server = createServer((request, response) => answer(request, response, path, html));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  reportError(`harn view: ${address}\n`);
  if (opens) openPage(address);
  await new Promise<void>((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    let connections = 0;
    let isOver = false;
    const end = (): void => {
      isOver = true;
      clearTimeout(timer);
      unlisten();
      resolve();
    };
    // Not within the call: what listens sets its patience after it.
    const unlisten = stopOnSignals(() => setImmediate(end));
    // A browser keeps the connection of a page open for a while, and takes it up again when it is loaded anew.
    server.on("connection", (socket) => {
      connections += 1;
      clearTimeout(timer);
      socket.on("close", () => {
        connections -= 1;
        if (connections === 0 && !isOver) timer = setTimeout(end, patience);
      });
    });
  });
  server.close();
  server.closeAllConnections();
  return exitCode.ok;
}

function answer(request: IncomingMessage, response: ServerResponse, path: string, html: string): void {
  const isOurs = /^(127\.0\.0\.1|localhost):\d+$/.test(request.headers.host ?? "");
  const isRight = timingSafeEqual(digest(request.url ?? ""), digest(path));
  const isRead = request.method === "GET" || request.method === "HEAD";
  const status = isOurs && isRight && isRead ? 200 : 404;
  response.writeHead(status, {
    "content-type": status === 200 ? "text/html; charset=utf-8" : "text/plain",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
  });
  response.end(status !== 200 ? "Not found\n" : request.method === "HEAD" ? undefined : html);
}
