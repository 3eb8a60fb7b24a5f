/**
 * Templates that were rendered since the last model call (agents.md §2.4): which text, in which version, which ways
 * through it were taken. They are written before the next call, whose prompt they may be part of; what is rendered
 * after the last call is in no prompt.
 */
import { stateKey, type Task } from "../../interp/index.ts";

export interface TemplateNote {
  /** Its path; "" for a text in the script. */
  readonly path: string;
  readonly text: string;
  readonly bytes: number;
  /** `{at: "3:1", kind: "if", taken: "else"}` and the like, in the order in which they were reached. */
  readonly branches: readonly TemplateBranchTaken[];
}

export interface TemplateBranchTaken {
  readonly at: string;
  readonly kind: "if" | "for" | "include";
  readonly taken: string;
}

/** A script may render for ever and never call a model: only the newest are kept. */
const maxNotes = 50;

const templateNotes = stateKey<TemplateNote[]>("agent.template notes", () => []);

export function noteTemplate(task: Task, note: TemplateNote): void {
  const notes = task.runtime.state(templateNotes);
  notes.push(note);
  if (notes.length > maxNotes) notes.shift();
}

/** What was rendered since the last time. */
export const takeTemplateNotes = (task: Task): TemplateNote[] => task.runtime.state(templateNotes).splice(0);
