/** `--allow` and `--deny` on the command line, and the same lists in a journal. */
import {
  builtinTable,
  Capabilities,
  type CapabilityLists,
  CapabilityMistake,
  restrictHost,
  restrictTable,
} from "../../builtins/index.ts";
import { UsageError } from "../../host/command/index.ts";
import type { Host } from "../../host/index.ts";
import type { BuiltinTable } from "../../table/index.ts";
import type { RunFlags } from "./run-flags.ts";

/** The lists of the flags; `undefined` when there are none. */
export function grantedLimitsOf(flags: RunFlags): CapabilityLists | undefined {
  if (flags.allow === undefined && flags.deny === undefined) return undefined;
  return { allow: grantEntries(flags.allow), deny: grantEntries(flags.deny) };
}

const grantEntries = (text: string | undefined): string[] | undefined =>
  text
    ?.split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");

/** Machine and builtins as a run with these limits sees them. */
export function granted(limits: CapabilityLists, host: Host): { host: Host; builtins: BuiltinTable } {
  try {
    const capabilities = Capabilities.of(limits, builtinTable(), host.cwd);
    return { host: restrictHost(host, capabilities), builtins: restrictTable(builtinTable(), capabilities) };
  } catch (error) {
    if (error instanceof CapabilityMistake) throw new UsageError(error.message);
    throw error;
  }
}

/** The builtins of a recorded run: those that its limits refused are refused again. */
export function grantedThen(options: unknown, cwd: string): BuiltinTable {
  const { allow, deny } = (options ?? {}) as { allow?: string[] | null; deny?: string[] | null };
  if (!Array.isArray(allow) && !Array.isArray(deny)) return builtinTable();
  const limits = { allow: allow ?? undefined, deny: deny ?? undefined };
  return restrictTable(builtinTable(), Capabilities.of(limits, builtinTable(), cwd));
}
