/** The folders that a policy opens for writing and for reading. Of roots in each other the narrower one holds. */
import { isInside } from "../../model/index.ts";

/** Absolute paths without links. */
export interface Roots {
  readonly workspace: readonly string[];
  readonly readOnly: readonly string[];
}

/** Writing needs a workspace root, reading any root; without workspace roots all is open that is not only to be read. */
export function isWithinRoots({ workspace, readOnly }: Roots, path: string, writes: boolean): boolean {
  const writable = narrowestRoot(workspace, path);
  const readable = narrowestRoot(readOnly, path);
  if (writes && readable !== undefined && readable.length >= (writable?.length ?? 0)) return false;
  return workspace.length === 0 || writable !== undefined || (!writes && readable !== undefined);
}

/** Whether something that may only be read lies in a folder: it would go with the folder. */
export const holdsReadOnly = ({ readOnly }: Roots, path: string): boolean =>
  readOnly.some((root) => isInside(root, path));

const narrowestRoot = (roots: readonly string[], path: string): string | undefined =>
  roots
    .filter((root) => isInside(path, root))
    .reduce<string | undefined>(
      (best, root) => (best === undefined || root.length > best.length ? root : best),
      undefined,
    );
