/** The fuzzers by name. */
import type { Fuzzer } from "../fuzzer.ts";
import { evaluations } from "./evaluations.ts";
import { journals } from "./journals.ts";
import { manifests } from "./manifests.ts";
import { mcp } from "./mcp.ts";
import { papers } from "./papers.ts";
import { providers } from "./providers.ts";
import { server } from "./server.ts";
import { snapshots } from "./snapshots.ts";
import { source } from "./source.ts";
import { tapes } from "./tapes.ts";

const all: readonly Fuzzer[] = [
  source,
  tapes,
  journals,
  providers,
  mcp,
  manifests,
  snapshots,
  papers,
  evaluations,
  server,
];

export const fuzzerNames: readonly string[] = all.map(({ name }) => name);

export function fuzzerNamed(name: string): Fuzzer {
  const found = all.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no fuzzer ${name}: there are ${fuzzerNames.join(", ")}`);
  return found;
}
