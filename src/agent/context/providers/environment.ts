/** The provider `environment`: where the agent works, from one recorded look. */

import type { FolderOverview } from "../../state/requests.ts";

export function environmentText({ folder, os, entries, more }: FolderOverview): string {
  const lines = [`Working directory: ${folder}`, `Operating system: ${os}`];
  if (entries.length === 0) return [...lines, "It has no files yet."].join("\n");
  const rest = more === 0 ? [] : [`… and ${more} more`];
  return [...lines, "Files:", ...entries, ...rest].join("\n");
}
