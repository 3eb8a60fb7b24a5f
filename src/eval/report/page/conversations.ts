/** Conversations of trials as the page keeps them: `[role, name of the tool or null, text]`, compressed, beside it beyond 20 MB. */
import { isJsonObject, type Json, type JsonObject } from "../../../values/index.ts";
import { h, type Markup, ownCode } from "./markup.ts";
import { pageStyle } from "./page-style.ts";

export type Transcripts = "failed" | "all" | "none";

export type ShownMessage = readonly [role: string, name: string | null, text: string];

/** Text of a page that conversations may take; more lie in files beside it. */
export const maxInside = 20 * 1024 * 1024;

/** Messages of a conversation as text: parts joined, calls of tools as JSON. */
export function shownMessages(messages: Json): ShownMessage[] {
  return Array.isArray(messages) ? messages.flatMap(shownMessage) : [];
}

function shownMessage(message: Json): ShownMessage[] {
  if (!isJsonObject(message)) return [];
  const role = typeof message.role === "string" ? message.role : "message";
  const name = typeof message.name === "string" ? message.name : null;
  const text = contentText(message.content ?? "");
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
  return [
    ...(text === "" && calls.length > 0 ? [] : [[role, name, text] as const]),
    ...calls.map((call): ShownMessage => ["calls", callName(call), callArguments(call)]),
  ];
}

function contentText(content: Json): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return content === null ? "" : JSON.stringify(content, undefined, 1);
  return content
    .map((part) => {
      return isJsonObject(part) && typeof part.text === "string" ? part.text : JSON.stringify(part);
    })
    .join("\n");
}

const fieldsOf = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});

/** Calls of tools, flat or under `function` as providers have them. */
const callFields = (call: Json): JsonObject => ({
  ...fieldsOf(call),
  ...fieldsOf(fieldsOf(call).function),
});

const callName = (call: Json): string => {
  const { name } = callFields(call);
  return typeof name === "string" ? name : "tool";
};

function callArguments(call: Json): string {
  const { arguments: args = null } = callFields(call);
  return typeof args === "string" ? args : JSON.stringify(args, undefined, 1);
}

/** A conversation as a page of its own. */
export function conversationPage(title: string, messages: readonly ShownMessage[]): string {
  const body: Markup[] = messages.map(([role, name, text]) =>
    h(
      "div",
      { class: `message ${role === "user" || role === "tool" || role === "system" ? role : "other"}` },
      h("b", {}, name === null ? role : `${role} ${name}`),
      h("pre", {}, text),
    ),
  );
  const head = h(
    "head",
    {},
    h("meta", { charset: "utf-8" }),
    h("meta", {
      "http-equiv": "Content-Security-Policy",
      content: "default-src 'none'; style-src 'unsafe-inline'",
    }),
    h("title", {}, title),
    ownCode("style", pageStyle),
  );
  return `<!doctype html>\n${h("html", { lang: "en" }, head, h("body", {}, h("main", {}, h("h1", {}, title), ...body))).html}\n`;
}
