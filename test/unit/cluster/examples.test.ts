/** `examples/cluster` against the schemas that are kept there: no container runtime is where tests run. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { z } from "zod";
import { projectRoot } from "../../support/project.ts";

type JsonSchema = Parameters<typeof z.fromJSONSchema>[0] & object;
const folder = join(projectRoot, "examples/cluster");
const text = (name: string): string => readFileSync(join(folder, name), "utf8");
const schemaFile = (name: string): JsonSchema => JSON.parse(text(`schemas/${name}`)) as JsonSchema;

const documents = (yaml: string): unknown[] =>
  parseAllDocuments(yaml).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as unknown;
  });

/** Its definitions are where older drafts look for them; its durations are `1m30s`, where the schema's word for them means others. */
const compose = z.fromJSONSchema({
  ...(JSON.parse(text("schemas/compose.json"), (key, value: unknown) =>
    key === "format" && value === "duration" ? undefined : value,
  ) as JsonSchema),
  $schema: "http://json-schema.org/draft-07/schema#",
} as JsonSchema);

const kubernetes = schemaFile("kubernetes.json") as JsonSchema & {
  readonly kinds: Record<string, JsonSchema>;
};
const ofKind = (kind: string) => {
  const { $schema, $defs, kinds } = kubernetes as never as Record<string, Record<string, object>>;
  const found = kinds?.[kind];
  if (found === undefined) throw new Error(`there is no schema of ${kind} in schemas/kubernetes.json`);
  return z.fromJSONSchema({ $schema, $defs, ...found } as never);
};

const problems = (schema: z.ZodType, value: unknown): string[] =>
  schema.safeParse(value).error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [];

test("compose.yaml fits its schema", () => {
  const [file] = documents(text("compose.yaml"));
  expect(problems(compose, file)).toEqual([]);
  expect(Object.keys((file as { services: object }).services)).toEqual(["database", "engine", "worker"]);
  // It is strict enough to find a misspelt key.
  expect(problems(compose, { services: { worker: { imige: "x" } } })).not.toEqual([]);
});

test("kubernetes.yaml fits its schema", () => {
  const kinds = documents(text("kubernetes.yaml")) as { kind: string }[];
  expect(kinds.map(({ kind }) => kind)).toEqual(["Deployment", "HorizontalPodAutoscaler"]);
  for (const document of kinds) expect(problems(ofKind(document.kind), document)).toEqual([]);
  const wrong = structuredClone(kinds[0]) as never as { spec: { template: { spec: object } } };
  Object.assign(wrong.spec.template.spec, { terminationGracePeriod: 5 });
  expect(problems(ofKind("Deployment"), wrong)).not.toEqual([]);
});

test("no file has a password in it", () => {
  for (const name of ["compose.yaml", "kubernetes.yaml", "Dockerfile"])
    expect(text(name)).not.toMatch(/postgres:\/\/[^:\s]+:[^$@\s]+@/);
});
