/** Paths as a daemon's script means them: relative ones lie under its working folder. */
import { isAbsolute, join } from "node:path";

export const hostPathOf = (cwd: string, path: string): string => (isAbsolute(path) ? path : join(cwd, path));
