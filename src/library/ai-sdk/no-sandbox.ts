/**
 * `noSandbox`: `HarnessAgent` makes a sandbox for each session, and a folder in it. An agent of harn works in the folder of its harn, under
 * its rules, so there is nothing to make: whoever asks this sandbox to do something is told so.
 */
import { harnError } from "../errors.ts";

const refuseSandbox = async (): Promise<never> => {
  throw harnError(
    "HARN-LIB-001",
    "noSandbox: an agent of harn works in the folder of its harn, under its rules (`cwd`, `allow`, `deny`); there is no sandbox besides",
  );
};

const files = {
  description: "none: the agent works in the folder of its harn",
  readFile: refuseSandbox,
  readBinaryFile: refuseSandbox,
  readTextFile: refuseSandbox,
  writeFile: refuseSandbox,
  writeBinaryFile: refuseSandbox,
  writeTextFile: refuseSandbox,
  spawn: refuseSandbox,
  /** The folder of a session is made by this; nothing works in it. */
  run: async ({ command }: { readonly command: string }) =>
    /^mkdir -p "\$WORK_DIR"$/.test(command) ? { exitCode: 0, stdout: "", stderr: "" } : await refuseSandbox(),
};

const sandboxSession = (id: string) => ({
  ...files,
  id,
  defaultWorkingDirectory: "/",
  ports: [],
  getPortEndpoint: refuseSandbox,
  getPortUrl: refuseSandbox,
  stop: async (): Promise<void> => {},
  destroy: async (): Promise<void> => {},
  restricted: () => files,
});

export const noSandbox = {
  specificationVersion: "harness-sandbox-v1",
  providerId: "harn",
  createSession: async ({ sessionId = "harn" }: { readonly sessionId?: string } = {}) =>
    sandboxSession(sessionId),
  resumeSession: async ({ sessionId }: { readonly sessionId: string }) => sandboxSession(sessionId),
} as const;
