/** Rows of a written answer (agents.md §2.1, §2.3), and what is warned of in the lines of a file. */
import {
  type DocumentIssue,
  documentIssues,
  type Field,
  type FieldTable,
  field,
  fieldTable,
  inputText,
} from "../../../table/index.ts";
import { Dict, fromJson } from "../../../values/index.ts";
import type { JsonObject } from "../port.ts";

/** A parsed line and where it stood. */
export interface TapeLine {
  value: JsonObject;
  /** `file:line: `, to start an error with. */
  prefix: string;
}

const callRows = () => [
  field("id", "string", "The id of the call; `mock_call_N` unless given."),
  field("name", "string", "The tool."),
  field("arguments", "dict", "Its arguments."),
  field("type", "string", "As a provider writes it; has no effect."),
];

const mockCallFields = fieldTable(callRows, {
  meant: { args: "arguments", input: "arguments", parameters: "arguments" },
});
const fileCallFields = fieldTable(() => [
  ...callRows(),
  field("args", "dict", "Another name for `arguments`."),
]);

const mockErrorFields = fieldTable(() => [
  field("category", "string", "The category that scripts see."),
  field("message", "string", "The words of the error."),
  field("status", "int", "An HTTP status, which gives the category."),
  field("address", "string", "Where the call went."),
  field("kind", "string", "`transient` or `terminal`."),
  field("reason", "string", "What went wrong, in a word."),
  field("retry_after_ms", "int", "What the server asks callers to wait.", { range: [0, null] }),
]);

const answerRows = (calls: FieldTable): readonly Field[] => [
  field("text", "string", "The text of the answer."),
  field("tool_calls", "list<dict>", "Tools that it calls.", { nested: calls }),
  field(
    "match",
    "string",
    "A glob over the texts of the request; without one, the entry is the next answer.",
  ),
  field("consume_match", "bool", "An entry with `match` answers once.", { default: "false" }),
  field("input_tokens", "int", "Tokens of the request; its length in bytes unless given.", {
    range: [0, null],
  }),
  field("output_tokens", "int", "Tokens of the answer.", { default: "30", range: [0, null] }),
  field("cache_read_tokens", "int", "Tokens that came from the vendor's cache.", { range: [0, null] }),
  field("cache_write_tokens", "int", "Tokens that went into it.", { range: [0, null] }),
  field("cache_creation_input_tokens", "int", "Another name for `cache_write_tokens`.", { range: [0, null] }),
  field("thinking", "string", "What the model thought."),
  field("thinking_summary", "string", "The vendor's summary of that."),
  field("stop_reason", "string", "Why the answer ended."),
  field("model", "string", "The model that answers.", { default: '"mock"' }),
  field("provider", "string", "Who answers.", { default: '"mock"' }),
  field("blocks", "list", "The content blocks of the answer as they are."),
  field("logprobs", "any", "How likely its words were.", { why: "kept as it is" }),
  field("error", "dict", "A dict: the call fails.", { nested: mockErrorFields }),
];

/** The dict of `llm_mock`. */
export const mockFields = fieldTable(() => answerRows(mockCallFields));
/** A line of a file of written answers. */
const lineFields = fieldTable(() => answerRows(fileCallFields));

/** Somebody who is told what is odd about a file, in whole lines. */
export type WarnOfFile = (warning: string) => void;

/** Keys that mean nothing and values of a wrong type, each once for the file: an answer is read without them (agents.md §2.1). */
export function warnOfFields(lines: readonly TapeLine[], warn: WarnOfFile): void {
  const warned = new Set<string>();
  for (const { value, prefix } of lines) {
    const line = fromJson(value);
    if (!(line instanceof Dict)) continue;
    for (const issue of documentIssues(line, lineFields)) {
      const mark = issue.path.replace(/\[\d+\]/g, "");
      const isAbsent = issue.kind === "type" && issue.value === null;
      if (isAbsent || warned.has(mark)) continue;
      warned.add(mark);
      warn(`warning: ${prefix}${fieldWarning(line, issue)}\n`);
    }
  }
}

function fieldWarning(line: Dict, issue: DocumentIssue): string {
  const { path } = issue;
  if (issue.kind === "type")
    return `\`${path}\`: expected ${issue.expected}, got ${inputText(issue.value)}; it has no effect`;
  const inner = line.get(path);
  const meant = inner instanceof Dict ? [...inner.keys()].filter((key) => lineFields.get(key)) : [];
  const hint = meant.length === 0 ? issue.hint : `write ${meant.join(", ")} into the line itself`;
  return `unknown key \`${path}\`; ${hint}`;
}
