/** All commands, in the order in which help lists them. */
import { checking } from "./checking.ts";
import type { Command } from "./command.ts";
import { evaluating } from "./eval.ts";
import { papers } from "./papers.ts";
import { running } from "./running.ts";
import { runs } from "./runs.ts";
import { serving } from "./serving.ts";
import { trusting } from "./trusting.ts";

export const table: readonly Command[] = [
  ...running,
  ...runs,
  ...checking,
  ...evaluating,
  ...serving,
  ...papers,
  ...trusting,
];
