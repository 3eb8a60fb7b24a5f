/** What is compared: packages with their versions, and the folder of their programs. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const programsFolder = fileURLToPath(new URL("programs", import.meta.url));

export interface Framework {
  /** As the table calls it. */
  readonly name: string;
  /** Below `programs/`. */
  readonly folder: string;
  /** What is installed beside `zod`; ours is packed first. */
  readonly packages: readonly string[];
  /** Packages that are compiled on the machine, which takes minutes. */
  readonly native?: readonly string[];
}

export const zod = "zod@4.6.7";

export const frameworks: readonly Framework[] = [
  { name: "harn", folder: "harn", packages: [] },
  { name: "AI SDK 7", folder: "ai-sdk", packages: ["ai@7.0.173"] },
  {
    name: "LangGraph 1",
    folder: "langgraph",
    packages: [
      "@langchain/langgraph@1.7.3",
      "@langchain/core@1.4.0",
      "langchain@1.5.14",
      "@langchain/langgraph-checkpoint-sqlite@1.0.4",
    ],
    native: ["better-sqlite3"],
  },
  { name: "Mastra 1", folder: "mastra", packages: ["@mastra/core@1.71.0", "@mastra/libsql@1.23.1"] },
];

/** `program.ts`, and `durable.ts`: the same with what going on after a kill takes; undefined where there is no such way. */
export function sourceOf({ folder }: Framework, file: "program.ts" | "durable.ts"): string | undefined {
  const path = join(programsFolder, folder, file);
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

/** Lines of code: not those that are empty or only a comment. */
export const linesOf = (source: string): number =>
  source.split("\n").filter((line) => line.trim() !== "" && !line.trim().startsWith("//")).length;

/** The modules of packages that a program imports, but for `zod`, which all of them have. */
export const importsOf = (source: string): readonly string[] =>
  [...source.matchAll(/^import .* from "([^"]+)";$/gm)]
    .map(([, module = ""]) => module)
    .filter((module) => !module.startsWith(".") && module !== "zod");

/** The program with a tool that gives a text where its schema says a number. */
export const withWrongTool = (source: string): string =>
  source.replace(/degrees: (await degreesIn\([^)]*\))/, "degrees: String($1)");

/** The program with a tool that is not said to be harmless when it is called twice. */
export const withWritingTool = (source: string): string => source.replace(/ {2}effect: "read",\n/, "");
