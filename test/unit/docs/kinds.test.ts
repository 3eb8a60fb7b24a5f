/** Pages name every type of event and every state of a conversation, in the words of the lists that the sources have. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { conversationStates } from "../../../src/durable/index.ts";
import { durableEventTypes, ephemeralEventTypes } from "../../../src/events/wire/index.ts";

const page = (path: string): string => readFileSync(path, "utf8");

it("docs/events.md has a row for every type of a log", () => {
  const [, table = ""] = page("docs/events.md").split("\n## Types in the log\n");
  // `message.queued`, `.withdrawn`: what begins with a dot has the part before it from the first of the cell.
  const named = table
    .split("\n")
    .map((line) => /^\| (`.*?`) \|/.exec(line)?.[1] ?? "")
    .flatMap((cell) => {
      const names = [...cell.matchAll(/`([\w.]+)`/g)].map(([, name = ""]) => name);
      return names.map((name) => (name.startsWith(".") ? (names[0]?.split(".")[0] ?? "") + name : name));
    });
  expect(named.sort(), "write its row under “Types in the log”").toEqual(
    Object.keys(durableEventTypes).sort(),
  );
});

it("docs/events.md names every type that no log keeps", () => {
  const [, text = ""] = page("docs/events.md").split("\nNever in a log,");
  const missing = Object.keys(ephemeralEventTypes).filter((type) => !new RegExp(`\`${type}[\` ]`).test(text));
  expect(missing, "write it where “Never in a log” stands").toEqual([]);
});

it("docs/serve.md has a row for every state of a conversation, with its meaning", () => {
  const rows = [...page("docs/serve.md").matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, state, means]) => [
    state,
    means,
  ]);
  for (const row of Object.entries(conversationStates))
    expect(rows, "write its row under “A conversation”").toContainEqual(row);
});
