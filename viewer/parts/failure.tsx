/** An error as a person needs it: what happened, what to do. */
import { HarnProblem } from "../net/api.ts";

export const Failure = ({ error }: { readonly error: unknown }) => (
  <p class="failure" role="alert">
    {error instanceof Error ? error.message : String(error)}
    {error instanceof HarnProblem && error.problem?.code ? (
      <span class="soft"> {error.problem.code}</span>
    ) : null}
  </p>
);
