/** Rows of a written answer (agents.md §2.1, §2.3), and what is warned of in the lines of a file. */
import { type DocumentIssue, documentIssues, inputText, row, rows } from "../../../table/index.ts";
import { Dict, fromJson } from "../../../values/index.ts";
import type { JsonObject } from "../port.ts";

/** A parsed line and where it stood. */
export interface TapeLine {
  value: JsonObject;
  /** `file:line: `, to start an error with. */
  prefix: string;
}

const calls = () => ({
  id: row.text("The id of the call; `mock_call_N` unless given."),
  name: row.text("The tool."),
  arguments: row.dict(null, "Its arguments."),
  type: row.text("As a provider writes it; has no effect."),
});

const mockCallFields = rows(calls, {
  meant: { args: "arguments", input: "arguments", parameters: "arguments" },
});
const fileCallFields = rows(() => ({ ...calls(), args: row.dict(null, "Another name for `arguments`.") }));

const count = (doc: string) => row.int(doc, null, { min: 0 });

const mockErrorFields = rows(() => ({
  category: row.text("The category that scripts see."),
  message: row.text("The words of the error."),
  status: row.int("An HTTP status, which gives the category."),
  address: row.text("Where the call went."),
  kind: row.text("`transient` or `terminal`."),
  reason: row.text("What went wrong, in a word."),
  retry_after_ms: count("What the server asks callers to wait."),
}));

const answerRows = (calls: typeof mockCallFields | typeof fileCallFields) => ({
  text: row.text("The text of the answer."),
  tool_calls: row.list(row.dict(null), "Tools that it calls.").with({ nested: calls }),
  match: row.text("A glob over the texts of the request; without one, the entry is the next answer."),
  consume_match: row.bool("An entry with `match` answers once.", false),
  input_tokens: count("Tokens of the request; its length in bytes unless given."),
  output_tokens: count("Tokens of the answer.").usually("30"),
  cache_read_tokens: count("Tokens that came from the vendor's cache."),
  cache_write_tokens: count("Tokens that went into it."),
  cache_creation_input_tokens: count("Another name for `cache_write_tokens`."),
  thinking: row.text("What the model thought."),
  thinking_summary: row.text("The vendor's summary of that."),
  stop_reason: row.text("Why the answer ended."),
  model: row.text("The model that answers.").usually('"mock"'),
  provider: row.text("Who answers.").usually('"mock"'),
  blocks: row.handle("list", "The content blocks of the answer as they are."),
  logprobs: row.value("How likely its words were.", "kept as it is"),
  error: row.dict(mockErrorFields, "A dict: the call fails."),
});

/** The dict of `llm_mock`. */
export const mockFields = rows(() => answerRows(mockCallFields));
/** A line of a file of written answers. */
const lineFields = rows(() => answerRows(fileCallFields));

/**
 * Somebody who is told what is odd about a file, in whole lines; `refusal` is the same for whoever takes no such file: what would have
 * no effect is not done.
 */
export type WarnOfFile = (warning: string, refusal: string) => void;

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
      const { what, hint, expected } = fieldWords(line, issue);
      const refusal = [what, hint ?? expected].filter((words) => words !== undefined).join("; ");
      warn(`warning: ${prefix}${what}; ${hint ?? noEffect}\n`, `${prefix}${refusal}`);
    }
  }
}

const noEffect = "it has no effect";

interface FieldWords {
  readonly what: string;
  /** What was meant. */
  readonly hint?: string;
  /** What there is, where nothing like it was meant. */
  readonly expected?: string;
}

function fieldWords(line: Dict, issue: DocumentIssue): FieldWords {
  const { path, table } = issue;
  if (issue.kind === "type")
    return { what: `\`${path}\`: expected ${issue.expected}, got ${inputText(issue.value)}` };
  const what = `unknown key \`${path}\``;
  const inner = line.get(path);
  const meant = inner instanceof Dict ? [...inner.keys()].filter((key) => lineFields.get(key)) : [];
  if (meant.length > 0) return { what, hint: `write ${meant.join(", ")} into the line itself` };
  if (issue.near !== undefined) return { what, hint: issue.hint };
  return { what, expected: `expected one of ${[...table.names()].join(", ")}` };
}
