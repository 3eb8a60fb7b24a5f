/** The flags under which Node runs an executable: those of the launcher (`bin/harn.cjs`), so that 10,000 nested calls fit. */
import { stackKb } from "./stack-stub.ts";

export const nodeFlags = (): string[] => [
  // Windows gives the first thread of a process the stack that its file asks for, 1 MB.
  ...(process.platform === "win32" ? [] : [`--stack-size=${stackKb - Math.floor(stackKb / 8) - 300}`]),
  "--max-semi-space-size=8",
];
