/** `harn session new|send|wake|close`: what people do to sessions from outside. */

import { existsSync, realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { agentOfScript, BadWake, resolveWake } from "../../durable/index.ts";
import type { FlagsOf } from "../../host/command/flags.ts";
import { exitCode, print, UsageError } from "../../host/command/index.ts";
import { ownPath, ownProcess } from "../../process/index.ts";
import { jsonOrText } from "../../values/index.ts";
import { onNewSessions, onSessions } from "../../work/service/index.ts";
import type { newFlags, sendFlags, wakeFlags } from "../flags/serving.ts";
import { whenText } from "./words.ts";

export type NewFlags = FlagsOf<typeof newFlags>;

export async function newSession(name: string, file: string, flags: NewFlags): Promise<number> {
  const script = existingPath(file, "file");
  const resources = (flags.attach ?? []).map((path) => existingPath(path, "any"));
  return await onNewSessions((sessions) => {
    const now = Date.now();
    const agent = flags.agent ?? agentOfScript(script);
    const request = {
      agent,
      script,
      cwd: ownProcess().cwd(),
      environment: flags.environment ?? null,
      resources,
    };
    sessions.create({ name, made: request, now, message: flags.message ?? null });
    const next = flags.message === undefined ? `harn session send ${name} TEXT` : `harn session run ${name}`;
    print(`${name}: made, agent ${agent}; next: \`${next}\`\n`);
    return exitCode.ok;
  });
}

function existingPath(path: string, kind: "file" | "any"): string {
  const full = resolve(ownPath(path));
  if (!existsSync(full)) throw new UsageError(`there is no file ${path}`, "HARN-CLI-006");
  if (kind === "file" && !statSync(full).isFile()) throw new UsageError(`${path} is no file`, "HARN-CLI-006");
  return realpathSync(full);
}

export type SendFlags = FlagsOf<typeof sendFlags>;

export async function sendToSession(name: string, text: string, flags: SendFlags): Promise<number> {
  if (flags.failed === true && flags.result === undefined)
    throw new UsageError("--failed goes with --result USE");
  const said = text === "-" ? await readAll(ownProcess().stdin) : text;
  return await onSessions((sessions) => {
    const now = Date.now();
    const { result } = flags;
    const n =
      result === undefined
        ? sessions.send({ name, text: said, now })
        : sessions.result({
            name,
            use: result,
            content: jsonOrText(said),
            isError: flags.failed === true,
            now,
          });
    const { pending } = sessions.mustFind(name);
    print(`${name}: event ${n}, ${pending} pending\n`);
    return exitCode.ok;
  });
}

export type WakeFlags = FlagsOf<typeof wakeFlags>;

export async function wakeNamedSession(name: string, flags: WakeFlags): Promise<number> {
  return await onSessions((sessions) => {
    const now = Date.now();
    if (flags.cancel !== undefined) {
      sessions.cancelWake({ name, key: flags.cancel, now });
      print(`${name}: no wake ${flags.cancel} any more\n`);
      return exitCode.ok;
    }
    const wish = {
      after: flags.in ?? null,
      at: flags.at ?? null,
      reason: flags.reason ?? "",
      key: flags.key ?? null,
    };
    try {
      const wake = resolveWake(wish, now, `manual-${now}`);
      sessions.wake({ name, wake: { ...wake, queued: now, by: "user" }, now });
      print(`${name}: wake ${wake.key} ${whenText(wake.due, now)}\n`);
    } catch (error) {
      if (!(error instanceof BadWake)) throw error;
      // The words of the command line for those of directives.
      throw new UsageError(
        error.message
          .replaceAll("`after`", "--in")
          .replaceAll("`at`", "--at")
          .replaceAll("`reason`", "--reason"),
      );
    }
    return exitCode.ok;
  });
}

export async function closeNamedSession(name: string): Promise<number> {
  return await onSessions((sessions) => {
    const owner = sessions.holder(name);
    if (owner !== undefined)
      throw new UsageError(`${name} is being run by ${owner}; end that first`, "HARN-CLI-008");
    sessions.close({ name, now: Date.now() });
    print(`${name}: closed\n`);
    return exitCode.ok;
  });
}
