/** Options of model calls by role: what the task says, then the variant for the agent, then the command line's model. */
import { callFields, type RoleRules } from "../../model/index.ts";
import { Dict, fromJson } from "../../values/index.ts";
import type { TaskSpec, TrialRole, Variant } from "../plan/index.ts";

/** `models`: of roles, in the place of what the task says (`--role judge=gpt-4o`). A variant's own model stays what it is. */
export function roleOptions(
  { roles }: Pick<TaskSpec, "roles">,
  { body }: Variant,
  models: Readonly<Partial<Record<TrialRole, string>>> = {},
): RoleRules["options"] {
  const own = [...body.entries()].filter(([key]) => callFields.get(key) !== undefined);
  const made = new Map<TrialRole, Dict>();
  for (const role of ["agent", "user", "judge"] as const) {
    const value = roles[role];
    const declared = value === undefined ? new Dict() : (fromJson(value) as Dict);
    const model = models[role];
    const asked = model === undefined ? declared : declared.with("model", model);
    made.set(role, role === "agent" ? asked.merge(Dict.of(Object.fromEntries(own))) : asked);
  }
  return (role) => {
    const options = made.get(role);
    return options === undefined || options.size === 0 ? undefined : options;
  };
}
