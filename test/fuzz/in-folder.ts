/** `harn ARGS` within this process: hundreds of commands in the time that processes would need to start. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { main } from "../../src/cli/main.ts";

/** Runs a command and gives its exit code. What it prints goes to this process's own output, which is read elsewhere. */
export async function harnHere(...args: string[]): Promise<number> {
  const { exit, exitCode } = process;
  let asked: number | undefined;
  // The end of a command is not the end of this process.
  process.exit = ((code?: number) => {
    asked ??= code ?? Number(process.exitCode ?? 0);
  }) as typeof process.exit;
  try {
    process.exitCode = 0;
    await main(args);
    return asked ?? Number(process.exitCode);
  } finally {
    process.exit = exit;
    process.exitCode = exitCode;
  }
}

/** Writes files below a folder; characters are bytes. */
export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, "latin1");
  }
}

/** Text as bytes in characters, as inputs hold them. */
export const bytesOf = (text: string): string => Buffer.from(text, "utf8").toString("latin1");
