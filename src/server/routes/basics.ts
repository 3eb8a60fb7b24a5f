/** Routes that say what the server is, and who is asking. */
import { z } from "zod";
import { cookieOf, failedLogin } from "../dispatch.ts";
import { protocolVersion } from "../protocol/index.ts";
import { nothing, ok, type Route, route } from "../route.ts";

const cookieDays = 30;

export const principalRole = z.enum(["read", "write", "admin"]);
const me = z.object({ name: z.string(), role: principalRole });

export const basicRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/api/health",
    role: "none",
    doc: "Whether the server works.",
    answers: { 200: z.object({ status: z.enum(["ok", "stopping"]), version: z.string() }) },
    handler: ({ services: { isStopping, version } }) =>
      ok({ status: isStopping() ? "stopping" : "ok", version }),
  }),
  route({
    method: "POST",
    path: "/api/login",
    role: "none",
    doc: "A login of a browser, for the code of a link or for a token; it comes as a cookie.",
    body: z.strictObject({ code: z.string().min(1).max(200).describe("A login code, or a token.") }),
    answers: { 204: null },
    problems: ["login-needed", "slow-down"],
    handler: ({ services, remote }, { body }) => {
      const { access, failures, cookieName, isTls } = services;
      const wait = failures.wait(remote);
      const session = wait > 0 ? undefined : access.login(body.code);
      if (session === undefined) throw failedLogin(services, remote, wait);
      const cookie = `${cookieName()}=${session.secret}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${cookieDays * 86_400}`;
      return { status: 204, headers: { "set-cookie": isTls ? `${cookie}; Secure` : cookie } };
    },
  }),
  route({
    method: "POST",
    path: "/api/logout",
    role: "read",
    doc: "Ends the login of the cookie, and its streams. Runs go on.",
    mayLackBody: true,
    body: z.strictObject({}),
    answers: { 204: null },
    handler: ({ services: { access, cookieName, streams }, request }) => {
      const cookie = cookieOf(request, cookieName());
      if (cookie !== undefined) access.logout(cookie);
      streams.check();
      return {
        ...nothing,
        headers: { "set-cookie": `${cookieName()}=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0` },
      };
    },
  }),
  route({
    method: "GET",
    path: "/api/me",
    role: "read",
    doc: "Who is asking.",
    answers: { 200: me },
    handler: ({ principal: { name, role } }) => ok({ name, role }),
  }),
  route({
    method: "GET",
    path: "/api/info",
    role: "read",
    doc: "Agents, roles, limits, features, version of the protocol.",
    answers: {
      200: z.object({
        version: z.string(),
        protocol: z.number(),
        agents: z.array(
          z.object({
            name: z.string(),
            title: z.string(),
            mode: z.string().nullable(),
            examples: z.array(z.string()),
          }),
        ),
        roles: z.array(principalRole),
        limits: z.record(z.string(), z.unknown()),
        features: z.array(z.string()),
      }),
    },
    handler: ({ services: { version, supervisor, limits, recorded, writtenAnswers } }) =>
      ok({
        version,
        protocol: protocolVersion,
        agents: supervisor.agents.map(({ name, title, mode, examples = [] }) => ({
          name,
          title,
          mode,
          examples,
        })),
        roles: principalRole.options,
        limits,
        features: [
          "events",
          "questions",
          "files",
          "forks",
          "papers",
          ...(recorded.makesReports ? ["reports"] : []),
          ...(writtenAnswers ? ["written-answers"] : []),
          "agui",
          "chat-completions",
        ],
      }),
  }),
  route({
    method: "GET",
    path: "/api/openapi.json",
    role: "read",
    doc: "This description (OpenAPI 3.1).",
    answers: { 200: z.record(z.string(), z.unknown()) },
    handler: ({ services }) => ok(services.description()),
  }),
];
