/** A skill that is in force. */
export interface ActiveSkill {
  readonly name: string;
  readonly score: number;
  readonly trigger: string;
  /** What stands in the system text; `null` when the model has loaded it: then it stands in the conversation. */
  readonly body: string | null;
  /** Servers of the project that it holds. */
  readonly servers?: readonly string[];
}
