/** `prompts` / `prompt_overrides` (agents.md §11.11): other words for prompts of the runtime, read. */

import { meantField, type Read, row, rows, unknownOption } from "../../table/index.ts";
import { thrown } from "../../values/index.ts";
import type { PromptId } from "./prompt-ids.ts";
import { isPromptId, promptIds } from "./prompt-ids.ts";
import type { PromptSource } from "./prompt-source.ts";
import { promptSourceRow } from "./prompt-source.ts";

export type PromptOverrides = ReadonlyMap<PromptId, PromptSource>;

const overrides = (doc: string) =>
  row
    .either([row.map(promptSourceRow()), row.exactly(false)], doc)
    .to((read, place): PromptOverrides => {
      const found = read === false ? none : (read as ReadonlyMap<string, PromptSource>);
      for (const id of found.keys())
        if (!isPromptId(id))
          throw thrown(unknownOption(place, id, meantField(id, promptIds, "expected one of ")));
      return found as PromptOverrides;
    })
    .with({ below: "delegates" });

export const promptRows = rows(() => ({
  prompts: overrides("Other words for the runtime's prompts, by id (std/agent/prompts)."),
  prompt_overrides: overrides("Another name for `prompts`."),
}));

const none: PromptOverrides = new Map();

/** What both spellings say. */
export const promptOverridesOf = ({ prompts, promptOverrides }: Read<typeof promptRows>): PromptOverrides =>
  prompts === null && promptOverrides === null
    ? none
    : new Map([...(promptOverrides ?? []), ...(prompts ?? [])]);
