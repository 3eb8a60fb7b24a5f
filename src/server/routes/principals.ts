/** Who may use the server. */
import { z } from "zod";
import { revokePrincipal } from "../auth/revoke.ts";
import { principalName } from "../auth/store-access.ts";
import { HttpProblem, notFound } from "../problems.ts";
import { emitChanged } from "../records.ts";
import { nothing, ok, type Route, route } from "../route.ts";
import { principalRole } from "./basics.ts";
import { principalRecord } from "./schemas.ts";

export const principalRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/api/principals",
    role: "admin",
    doc: "All principals, sorted by name.",
    answers: { 200: z.object({ items: z.array(principalRecord), next: z.null() }) },
    handler: ({ services }) => ok({ items: services.access.list(), next: null }),
  }),
  route({
    method: "POST",
    path: "/api/principals",
    role: "admin",
    doc: "A new principal. Its token is told once, here.",
    body: z.strictObject({
      name: z
        .string()
        .regex(principalName, "must be letters, digits and `._@-`, at most 64, the first a letter or digit"),
      role: principalRole.default("write"),
    }),
    answers: { 201: z.object({ name: z.string(), role: principalRole, token: z.string().nullable() }) },
    problems: ["invalid"],
    handler: (context, { body: { name, role } }) =>
      context.commit(() => {
        const token = context.services.access.add(name, role);
        if (token === undefined)
          throw new HttpProblem("invalid", "there is a principal of this name", {
            errors: [{ path: "body.name", message: "is taken" }],
          });
        return { status: 201, body: { name, role, token }, kept: { name, role, token: null } };
      }),
  }),
  route({
    method: "DELETE",
    path: "/api/principals/{name}",
    role: "admin",
    doc: "Ends a principal's token, logins and streams, and parks its runs, resumably. Its conversations stay.",
    query: z.strictObject({
      keep_runs: z.enum(["true", "false"]).default("false").describe("`true`: its runs go on."),
    }),
    answers: { 204: null },
    problems: ["not-found"],
    handler: ({ services, principal }, { params, query }) => {
      if (params.name === principal.name) throw new HttpProblem("invalid", "nobody revokes himself");
      const how = { by: principal.name, keepsRuns: query.keep_runs === "true" };
      const parked = revokePrincipal(services, params.name, how);
      if (parked === undefined) throw notFound("principal");
      services.streams.check();
      for (const id of parked) emitChanged(services, id);
      return nothing;
    },
  }),
];
