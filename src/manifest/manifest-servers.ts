/**
 * Servers of `[[mcp]]` that are not lazy, as a call in a module that runs before the program: all are connected at once, and
 * stand in the global `mcp` from then on. One that can't be started costs a line on standard error, not the run.
 */
import { quotedLiteral } from "./manifest-triggers.ts";

/** Names of the servers that a run connects before its program; entries that their reader would refuse for the name are left out. */
export function eagerServers(servers: unknown): string[] {
  if (!Array.isArray(servers)) return [];
  const names = servers.flatMap((one: unknown) => {
    const { name, lazy } = (one ?? {}) as { readonly name?: unknown; readonly lazy?: unknown };
    return typeof name === "string" && lazy !== true ? [name] : [];
  });
  return [...new Set(names)];
}

/** The call, as text of the language. Nobody holds the servers then: they are the run's, and end with it. */
export const startingServers = (
  names: readonly string[],
): string => `parallel each [${names.map(quotedLiteral).join(", ")}] { name ->
  try {
    mcp_ensure_active(name)
    mcp_release(name)
  } catch (e) {
    eprintln("warning: \${e}; it is missing in \`mcp\`")
  }
}`;
