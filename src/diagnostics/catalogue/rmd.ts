/** RMD: system reminders (agents.md §4.4). Raised while running. */
import { entry } from "../diagnostic.ts";

export const rmd = {
  "HARN-RMD-001": entry({
    severity: "error",
    message: (p: { readonly text: string }) => p.text,
    help: () =>
      "a reminder needs a `body`; `ttl_turns` counts from 1; clearing needs `id`, `tag` or `dedupe_key`",
    explain:
      "A reminder was made or cleared with an unknown option, a value of the wrong type, an empty body, a lifetime that is " +
      "over before it begins, or without saying which reminders are meant.\nThe message names the option.",
  }),
  "HARN-RMD-002": entry({
    severity: "error",
    message: (p: { readonly text: string }) => p.text,
    help: () => "pass the dict that `transcript.inject_reminder` takes, at least `{body: …}`",
    explain: "What should become a reminder event is no reminder: it has to be a dict with a `body`.",
  }),
  "HARN-RMD-006": entry({
    severity: "warning",
    message: (p: { readonly text: string }) => p.text,
    help: () => "the other providers and the loop went on; the message is the provider's own",
    explain:
      "A reminder provider (`register_reminder_provider`) threw when it was asked what the model should be told before its next " +
      "call.\nThe loop goes on without its reminder; the provider is asked again before the next call.",
  }),
  "HARN-RMD-007": entry({
    severity: "warning",
    message: (p: { readonly text: string }) => p.text,
    help: () => "give nil, a text, a dict with at least a `body`, or a list of these",
    explain:
      "A reminder provider gave something that is no reminder: neither nil nor a text, or a dict with an unknown or mistyped " +
      "option.\nWhat it gave before the mistake in the same list was taken.",
  }),
  "HARN-RMD-005": entry({
    severity: "error",
    message: (p: { readonly text: string }) => p.text,
    help: () => "`all` reaches every descendant, `session` direct children only, `none` stays where it is",
    explain:
      "`propagate` says how far a reminder goes when a loop starts sub-agents: all, session or none. Nothing else is known.",
  }),
};
