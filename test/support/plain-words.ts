/** What programs are told: options and functions, never flags of a command line. */
import { expect } from "vitest";

/** Commands that are there for programs, too, stand in backticks. */
const commands = /`(?:npx )?harn [^`]*`/g;

export function expectPlainWords(text: string): void {
  expect(text.replace(commands, "")).not.toMatch(/(?<![\w-])--[a-z]/);
  expect(text).not.toMatch(/harn (?:run --resume|replay|fork|runs (?:list|delete))\b/);
}
