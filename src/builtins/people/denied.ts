/** The error of a request that was refused. */
import { Dict, List, type ScriptError, thrown, type Value } from "../../values/index.ts";
import { textOf } from "../arguments.ts";
import type { HumanRequest } from "./request.ts";

export function deniedError(
  request: HumanRequest,
  reviewers: readonly string[],
  by: string,
  reason: Value,
): ScriptError {
  return thrown(
    Dict.of({
      name: "ApprovalDeniedError",
      category: "generic",
      message: `approval denied by ${by}${reason === null ? "" : `: ${textOf(reason)}`}`,
      reason,
      request_id: request.id,
      reviewers: new List([...reviewers]),
    }),
  );
}
