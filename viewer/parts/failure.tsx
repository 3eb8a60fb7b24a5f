/** An error as a person needs it: what happened, what to do. */
import { ApiError } from "../net/api.ts";

export const Failure = ({ error }: { readonly error: unknown }) => (
  <p class="failure" role="alert">
    {error instanceof Error ? error.message : String(error)}
    {error instanceof ApiError && error.problem?.code ? (
      <span class="soft"> {error.problem.code}</span>
    ) : null}
  </p>
);
