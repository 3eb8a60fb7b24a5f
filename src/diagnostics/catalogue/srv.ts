/** SRV: problems that the server of `harn serve` answers with (docs/serve.md). `message` is the title of the problem. */
import { entry } from "../diagnostic.ts";

const problem = (title: string, explain: string) =>
  entry({ severity: "error", message: (_none: undefined) => title, explain });

export const srv = {
  "HARN-SRV-001": problem(
    "The body is no JSON",
    "The body of a request must be one JSON value in UTF-8, nested at most 64 levels deep.\nThe detail says where reading ended.",
  ),
  "HARN-SRV-002": problem(
    "The cursor can't be read",
    "`after` and `next` are what the server gave: a list's `next`, or the number of an event. Begin again without one.",
  ),
  "HARN-SRV-003": problem(
    "The path can't be taken",
    "A path in an address is decoded once and names a file below the workspace: no `..`, no absolute path, no backslash, no NUL, " +
      "no link that leads out, not the state folder and no `.env` file.",
  ),
  "HARN-SRV-004": problem(
    "A login is needed",
    "Every route but `/api/health` and `/api/login` wants `Authorization: Bearer TOKEN` or the cookie of a login.\n" +
      "`harn serve url` prints a fresh link of the running server, `harn serve token add NAME` makes a token.",
  ),
  "HARN-SRV-005": problem(
    "This is not allowed to you",
    "The principal's role does not allow it: `read` looks, `write` works in conversations of its own, `admin` does everything.",
  ),
  "HARN-SRV-006": problem(
    "The host is not one of this server's",
    "The `Host` of a request must be the address that the server listens at, `localhost`, `127.0.0.1` or `[::1]` with its port, " +
      "or a name given with `--allowed-host`: so that no web page reaches it through a name of its own (DNS rebinding).",
  ),
  "HARN-SRV-007": problem(
    "The origin is not this server's",
    "A request that says where it comes from (`Origin`) must come from the server's own pages. Programs send no `Origin`.",
  ),
  "HARN-SRV-008": problem(
    "The request may be forged",
    "What changes something by cookie needs `Sec-Fetch-Site: same-origin` (or the server's own `Origin`), the content type " +
      "`application/json` and the header `X-Harn: 1`: a form of another page can send none of them. Programs use a token.",
  ),
  "HARN-SRV-009": problem(
    "There is no such thing",
    "Nothing of this kind has this id, or it belongs to somebody else: both are told in the same words.",
  ),
  "HARN-SRV-010": problem(
    "The method is not allowed here",
    "The address exists, but not for this method. The header `Allow` lists those that it has.",
  ),
  "HARN-SRV-011": problem(
    "Nothing of what is accepted can be given",
    "`Accept` must allow what the route gives: `application/json`, for events also `text/event-stream`.",
  ),
  "HARN-SRV-012": problem(
    "Its state does not allow that",
    "The detail says what state it is in. A conversation whose run works can't be deleted: interrupt it first, or wait for its end.\n" +
      "Only one that was stopped or has failed can be resumed: an idle one goes on with a message, one that waits with an answer.\n" +
      "One whose agent is not served here does nothing until a server of the store serves it.",
  ),
  "HARN-SRV-013": problem(
    "The question was answered already",
    "The first answer counts. The problem says which answer stands and who gave it.",
  ),
  "HARN-SRV-014": problem(
    "The same request is under way",
    "A request with this `Idempotency-Key` has not been answered yet. Send it again after a second: it gets the same answer.",
  ),
  "HARN-SRV-015": problem(
    "The message is not queued any more",
    "A message can be taken back until a run has taken it; from then on it has been heard.",
  ),
  "HARN-SRV-016": problem(
    "It is over",
    "The question was withdrawn, because the run was interrupted or ended, or its time was over. It can't be answered any more.",
  ),
  "HARN-SRV-017": problem(
    "It was changed meanwhile",
    "The version named in `If-Match` is not the present one. Read it again, and change that.",
  ),
  "HARN-SRV-018": problem(
    "It is too large",
    "The limits are in `GET /api/info`: 2 MiB for a JSON body, 256 KiB for a message, 25 MiB for an upload.",
  ),
  "HARN-SRV-019": problem(
    "The body must be JSON",
    "Send `Content-Type: application/json`; for files of a workspace any other type is taken as it is.",
  ),
  "HARN-SRV-020": problem(
    "The request does not fit",
    "Something in the body, the query or the headers is missing, of another type, or unknown. `errors` names each place and what is wrong.",
  ),
  "HARN-SRV-021": problem(
    "The answer does not fit the question",
    "An answer is checked against the form and the schema of its question: `errors` names each place and what is wrong.",
  ),
  "HARN-SRV-022": problem(
    "The key was used for something else",
    "An `Idempotency-Key` stands for one request: the same route with the same body. Take a new key for another request.",
  ),
  "HARN-SRV-023": problem(
    "There is no such step",
    "A fork begins after an event or a step of the run that the conversation or the run has; this one it has not.",
  ),
  "HARN-SRV-024": problem(
    "Too many at once",
    "A limit of `GET /api/info` is reached: requests a second, queued messages, open streams, failed logins, conversations.\n" +
      "`Retry-After` says how many seconds to wait.",
  ),
  "HARN-SRV-025": problem(
    "Something went wrong in the server",
    "A mistake of the server itself. Its log has the details under the number that the problem names; the request may be repeated.",
  ),
  "HARN-SRV-026": problem(
    "The server is stopping",
    "It takes no new work. Runs under way go on by themselves when it is started again.",
  ),
  "HARN-SRV-027": problem(
    "The store can't be used",
    "The store of the project is busy, can't be written or is damaged. Nothing of the request was done; try again.",
  ),
  "HARN-SRV-028": problem(
    "The disk is full",
    "Nothing of the request was done. Make room (`harn runs prune` removes old runs), then try again.",
  ),
};
