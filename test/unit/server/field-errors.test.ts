/** Every route's body and query, given what does not fit: each place has words of ours, and suggestions where there are any. */
import { expect, test } from "vitest";
import { z } from "zod";
import { parsedOr } from "../../../src/server/field-errors.ts";
import { allRoutes } from "../../../src/server/routes/index.ts";

const wrong: readonly unknown[] = [
  undefined,
  null,
  3,
  -1,
  1.5,
  true,
  "",
  "x",
  "x".repeat(300_000),
  [],
  [3],
  {},
  { a: 1 },
];
/** As zod's own texts begin, and the words of its English. */
const notOurs = /Invalid|Unrecognized|Too (?:big|small)|\bexpected\b|\breceived\b|NaN|undefined/;

const takes = allRoutes.flatMap((row) => [
  { what: `${row.method} ${row.path} query`, schema: row.query as z.ZodType },
  ...(row.body instanceof z.ZodType ? [{ what: `${row.method} ${row.path} body`, schema: row.body }] : []),
]);

test.each(takes)("$what", ({ schema }) => {
  const fields = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const values = [
    ...wrong,
    ...fields.flatMap((field) => wrong.map((value) => ({ [field]: value }))),
    { "nothing like it": 1 },
  ];
  const report = values.flatMap((value) => {
    const parsed = parsedOr(schema, value, "body");
    return "errors" in parsed ? parsed.errors : [];
  });
  expect(report.length).toBeGreaterThan(0);
  for (const { path, message } of report) {
    expect(path).toMatch(/^body/);
    // The configuration of an agent has words of its own.
    if (path === "body.config" && message.startsWith("unknown option ")) continue;
    expect(message).not.toMatch(notOurs);
    expect(message).toMatch(/^(?:must|is|has|there|does not fit$)/);
  }
});

test("there are routes with bodies", () => {
  expect(takes.filter(({ what }) => what.endsWith("body")).length).toBeGreaterThan(20);
});
