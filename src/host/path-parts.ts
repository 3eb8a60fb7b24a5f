/** Folding of paths as text; nothing is looked up. */

/** Drops empty parts and `.`, lets `..` take the part before it; leading `..` stay unless the path begins at a root. */
export function foldedParts(parts: readonly string[], rooted: boolean): string[] {
  const folded: string[] = [];
  for (const part of parts) {
    if (part === "" || part === ".") continue;
    if (part !== "..") folded.push(part);
    else if (folded.length > 0 && folded.at(-1) !== "..") folded.pop();
    else if (!rooted) folded.push(part);
  }
  return folded;
}
