/** The description of the API (OpenAPI 3.1), made from the table of routes. */
import { z } from "zod";
import { problemStatus } from "./protocol/index.ts";
import type { Route } from "./route.ts";

type OpenApiObject = Record<string, unknown>;

const jsonSchema = (schema: z.ZodType, io: "input" | "output"): OpenApiObject => {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" }) as OpenApiObject;
  return rest;
};

const problemSchema: OpenApiObject = {
  type: "object",
  required: ["type", "title", "status", "detail", "code"],
  properties: {
    type: { type: "string", enum: Object.keys(problemStatus).map((slug) => `urn:harn:problem:${slug}`) },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string" },
    code: { type: "string", pattern: "^HARN-SRV-\\d{3}$" },
    errors: {
      type: "array",
      items: {
        type: "object",
        required: ["path", "message"],
        properties: { path: { type: "string" }, message: { type: "string" } },
      },
    },
  },
};

/** What every route with a login may answer. */
const everywhere = ["login-needed", "forbidden", "bad-host", "bad-origin", "slow-down", "store"] as const;

export function openApi(rows: readonly Route[], version: string): OpenApiObject {
  const paths: Record<string, OpenApiObject> = {};
  const schemas: OpenApiObject = { Problem: problemSchema };
  for (const row of rows) {
    const path = row.path.replace(/\*\}/g, "}");
    const item = paths[path] ?? {};
    paths[path] = item;
    item[row.method.toLowerCase()] = operationOf(row);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "harn serve",
      version,
      description:
        "Conversations with agents, their events, and recorded runs. See docs/serve.md and docs/events.md.",
    },
    servers: [{ url: "/" }],
    security: [{ token: [] }, { cookie: [] }],
    paths: withShared(paths, schemas),
    components: {
      schemas,
      securitySchemes: {
        token: { type: "http", scheme: "bearer" },
        cookie: { type: "apiKey", in: "cookie", name: "harn_PORT" },
      },
    },
  };
}

/**
 * A schema that refers to itself brings definitions of its own (`$defs`), with references from its own root; in here they stand
 * among the components, the same ones once.
 */
function withShared(paths: OpenApiObject, schemas: OpenApiObject): OpenApiObject {
  const names = new Map<string, string>();
  const pointed = (schema: OpenApiObject, name: string): OpenApiObject =>
    JSON.parse(
      JSON.stringify(schema).replaceAll('"#/$defs/', `"#/components/schemas/${name}`),
    ) as OpenApiObject;
  const nameOf = (definitions: OpenApiObject): string => {
    const text = JSON.stringify(definitions);
    const known = names.get(text);
    if (known !== undefined) return known;
    const name = `Shared${names.size + 1}`;
    names.set(text, name);
    for (const [key, one] of Object.entries(definitions))
      schemas[`${name}${key}`] = pointed(one as OpenApiObject, name);
    return name;
  };
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== "object" || value === null) return value;
    const { $defs, ...rest } = value as OpenApiObject;
    if ($defs !== undefined) return pointed(rest, nameOf($defs as OpenApiObject));
    return Object.fromEntries(Object.entries(rest).map(([key, one]) => [key, visit(one)]));
  };
  return visit(paths) as OpenApiObject;
}

function operationOf(row: Route): OpenApiObject {
  const params = [...row.path.matchAll(/\{(\w+)\*?\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const { properties = {}, required = [] } = jsonSchema(row.query, "input") as {
    properties?: Record<string, OpenApiObject>;
    required?: string[];
  };
  const query = Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: "query",
    required: required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema,
  }));
  return {
    operationId: operationId(row),
    summary: row.doc,
    ...(row.role === "none" ? { security: [] } : { "x-role": row.role }),
    ...(params.length + query.length === 0 ? {} : { parameters: [...params, ...query] }),
    ...bodyOf(row),
    responses: { ...responsesOf(row) },
  };
}

/** `GET /api/conversations/{id}/events` ▸ `get_conversations_id_events` */
const operationId = ({ method, path }: Route): string =>
  `${method.toLowerCase()}${path
    .replace(/^\/api/, "")
    .replace(/\W+/g, "_")
    .replace(/_$/, "")}`;

function bodyOf({ body, mayLackBody }: Route): OpenApiObject {
  if (body === undefined) return {};
  const content =
    body === "bytes"
      ? { "application/octet-stream": {} }
      : { "application/json": { schema: jsonSchema(body, "input") } };
  return { requestBody: { required: !mayLackBody, content } };
}

function responsesOf(row: Route): OpenApiObject {
  const found: Record<string, OpenApiObject> = {};
  for (const [status, what] of Object.entries(row.answers)) {
    found[status] = {
      description: status === "204" ? "Done." : row.doc,
      ...(what === null
        ? {}
        : {
            content: Object.fromEntries(
              (Array.isArray(what) ? what : [what]).map((one) =>
                typeof one === "string"
                  ? [one, {}]
                  : ["application/json", { schema: jsonSchema(one as z.ZodType, "output") }],
              ),
            ),
          }),
    };
  }
  const slugs = new Set([...(row.role === "none" ? [] : everywhere), ...row.problems]);
  if (row.method !== "GET" && row.role !== "none") slugs.add("disk-full");
  if (row.body !== undefined && row.body !== "bytes")
    for (const slug of ["bad-json", "not-json", "too-large", "invalid"] as const) slugs.add(slug);
  const byStatus = Map.groupBy(slugs, (slug) => problemStatus[slug]);
  for (const [status, names] of [...byStatus].sort(([a], [b]) => a - b)) {
    found[status] = {
      description: names.join(", "),
      content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
    };
  }
  return found;
}
