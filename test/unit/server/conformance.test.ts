/** What holds every answer of the tests of routes against the table (test/support/conformance.ts) finds what it is for. */
import { expect, test } from "vitest";
import { mustConform } from "../../support/conformance.ts";

const json = { "content-type": "application/json" };
const me = new Request("http://127.0.0.1/api/me");
const judged = (request: Request, status: number, text: string, headers: Record<string, string> = json) => {
  mustConform(request, new Response(status === 204 ? null : text, { status, headers }), text);
};
const report = (slug: string, status: number, code = "HARN-SRV-009") =>
  JSON.stringify({ type: `urn:harn:problem:${slug}`, title: "T", status, detail: "d", code });
const problem = { "content-type": "application/problem+json" };

test("what is promised fits", () => {
  judged(me, 200, '{"name": "ann", "role": "write"}');
  judged(me, 401, report("login-needed", 401), problem);
  judged(new Request("http://127.0.0.1/api/logout", { method: "POST" }), 204, "", {});
});

test.each([
  ["a field too many", me, 200, '{"name": "ann", "role": "write", "token": "x"}', json],
  ["a field too few", me, 200, '{"name": "ann"}', json],
  ["another type", me, 200, '{"name": "ann", "role": "king"}', json],
  ["another status", me, 201, '{"name": "ann", "role": "write"}', json],
  ["another media type", me, 200, "ann", { "content-type": "text/plain" }],
  ["a problem that the row has not", me, 409, report("busy", 409), problem],
  ["a problem with another status", me, 404, report("login-needed", 404), problem],
  ["a problem without a code", me, 401, report("login-needed", 401, ""), problem],
])("%s does not", (_what, request, status, text, headers) => {
  expect(() => judged(request, status, text, headers)).toThrow(`GET /api/me answered ${status}`);
});
