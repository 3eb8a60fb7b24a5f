/** What lies where, and how a process of ours is started, is known in one place each: an executable has neither folders nor a launcher. */
import { describe, expect, it } from "vitest";
import { sourceFiles } from "../../support/import-graph.ts";

/** Who may, and why. */
const places: readonly {
  readonly what: RegExp;
  readonly files: Readonly<Record<string, string>>;
  readonly instead: string;
}[] = [
  {
    what: /\bimport\.meta\b/,
    files: {
      "host/command/shipped-files.ts": "the one place",
      "host/node/node-host.ts": "libraries, which lie beside the bundle there too",
      "program/ast-shape.ts": "of the sources, where nothing is bundled",
      "cluster/journals/mirror.ts":
        "a worker's thread: workers need the engine's packages, which no executable has",
    },
    instead: "shippedFolder of host/command/shipped-files.ts",
  },
  {
    what: /\bprocess\.(?:execPath|execArgv|argv\[1\])|\bfork\(\s*process\b|"node:(?:worker_threads|cluster)"/,
    files: {
      "host/own-command.ts": "the one place",
      "host/command/shipped-files.ts": "the executable itself is the folder of what lies in it",
      "host/command/typed-command.ts": "what a person typed",
      "library/serve-tools.ts": "the name of the program that serves",
      "cluster/journals/mirror.ts": "a worker's thread, as above",
      "cluster/journals/mirror-thread.ts": "its other end",
      "cluster/journals/mirror-messages.ts": "types of what passes between them",
      "executable/build.ts": "the Node that is copied",
      "executable/node-executable.ts": "the Node that is copied",
    },
    instead: "ownCommand of host/own-command.ts",
  },
];

describe("sources", () => {
  const files = sourceFiles();

  it.each(places)("leave $what to $instead", ({ what, files: allowed }) => {
    const found = files.filter(({ code }) => what.test(code)).map(({ path }) => path);
    expect(found.filter((path) => !Object.hasOwn(allowed, path))).toEqual([]);
    // Of the list nothing is left over either.
    expect(Object.keys(allowed).filter((path) => !found.includes(path))).toEqual([]);
  });
});
