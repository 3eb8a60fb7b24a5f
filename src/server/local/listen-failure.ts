/** Why a server can't listen, in words. */
import { UsageError } from "../../host/command/index.ts";
import type { HostError } from "../../host/index.ts";

/** `portWord`: by what another port is named. */
export function listenFailure(thrown: unknown, host: string, port: number, portWord: string): UsageError {
  const { code, message } = thrown as Partial<HostError>;
  const taken = code === "EADDRINUSE";
  return new UsageError(
    taken
      ? `${host}:${port} is taken: another program listens there; ${portWord} names another one`
      : `${host}:${port}: ${message ?? String(thrown)}`,
    "HARN-CLI-011",
  );
}
