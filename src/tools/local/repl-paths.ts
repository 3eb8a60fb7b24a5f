/** Files and folders that a path typed so far may mean, for completion. */
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";

/** Scripts and folders; `std/…` is completed from the library that ships with the runtime. */
export function completePaths(prefix: string, library: string): string[] {
  const standard = prefix.startsWith("std/");
  const folder = prefix.endsWith("/") ? prefix : dirname(prefix);
  const lead = prefix.includes("/") ? `${folder === "/" ? "" : folder.replace(/\/$/, "")}/` : "";
  const place = standard ? join(library, folder.slice("std".length)) : folder;
  const found = entries(place).map((name) => lead + (standard ? name.replace(/\.harn$/, "") : name));
  const roots = "std/".startsWith(prefix) ? ["std/"] : [];
  return [...roots, ...found].filter((path) => path.startsWith(prefix)).sort();
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => !entry.name.startsWith(".") && (entry.isDirectory() || entry.name.endsWith(".harn")))
      .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
  } catch {
    return [];
  }
}
