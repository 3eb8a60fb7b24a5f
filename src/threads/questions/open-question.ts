/** A question as people see it: what is asked, with which arguments, which answers there are and who may give them. */
import { questionId } from "../../durable/index.ts";
import { doubtQuestion, type Json, Secrets } from "../../effects/index.ts";
import type { Question } from "../../store/index.ts";
import { decodeValue, isJsonObject, toJson } from "../../values/index.ts";

type QuestionBody = { readonly [name: string]: Json };

export interface OpenQuestion {
  /** `question`, `approval`, `dual_control`, `escalation`, `permission` (a tool), `doubt` (a command) … */
  readonly kind: string;
  readonly prompt: string;
  /** Answers there are; none: any that fits `schema`. */
  readonly choices: readonly string[];
  /** Who may answer; nobody named: anybody. */
  readonly reviewers: readonly string[];
  readonly tool: string | undefined;
  /** What it is about: the arguments of the tool, what the program says besides. */
  readonly details: Json;
  readonly schema: QuestionBody | undefined;
  /** Of a tool's arguments, which a person may change. */
  readonly argumentsSchema: QuestionBody | undefined;
  /** What an empty answer means. */
  readonly fallback: Json | undefined;
  /** All of it. */
  readonly body: QuestionBody;
}

/** Kinds that are answered with yes or no. */
const decisions: readonly string[] = ["approval", "dual_control", "escalation", "permission"];

export const isDecision = ({ kind }: OpenQuestion): boolean => decisions.includes(kind);
export const isDoubt = ({ kind }: OpenQuestion): boolean => kind === doubtQuestion;

/** What people are told of the kind: leave for a tool is an approval, an approval of a plan is a `plan`. */
export function shownKind({ kind, details }: OpenQuestion): string {
  if (kind === "permission") return "approval";
  return kind === "approval" && isJsonObject(details) && details.form === "plan" ? "plan" : kind;
}

/** What `question.asked` says of a question. */
export function askedData(question: Question) {
  const asked = askedBy(question);
  return {
    question: questionId(question.run, question.place),
    kind: shownKind(asked),
    prompt: asked.prompt,
    schema: (asked.schema ?? null) as Json,
    tool: asked.tool ?? null,
    arguments: asked.details,
    choices: asked.choices,
    deadline: null,
  };
}

export function askedBy(question: Question): OpenQuestion {
  const body = bodyOf(question);
  const kind = typeof body.request_kind === "string" ? body.request_kind : "question";
  const metadata = isJsonObject(body.metadata) ? body.metadata : {};
  const schema = isJsonObject(metadata.schema) ? metadata.schema : undefined;
  const asked = {
    kind,
    prompt: typeof body.prompt === "string" ? body.prompt : JSON.stringify(body.prompt ?? null),
    reviewers: texts(body.approvers),
    tool: typeof body.tool_name === "string" ? body.tool_name : undefined,
    schema,
    argumentsSchema: isJsonObject(body.tool_schema) ? body.tool_schema : undefined,
    fallback: kind === "question" ? metadata.default : undefined,
    body,
  };
  return { ...asked, choices: choicesOf(asked), details: detailsOf(asked, metadata) };
}

function choicesOf({
  kind,
  body,
  schema,
}: Pick<OpenQuestion, "kind" | "body" | "schema">): readonly string[] {
  if (Array.isArray(body.choices)) return texts(body.choices);
  if (Array.isArray(schema?.enum))
    return schema.enum.map((one) => (typeof one === "string" ? one : JSON.stringify(one)));
  return decisions.includes(kind) ? ["approve", "deny"] : [];
}

function detailsOf({ body }: Pick<OpenQuestion, "body">, metadata: QuestionBody): Json {
  if (body.tool_args !== undefined) return body.tool_args;
  if (body.args !== undefined) return body.args;
  const { schema: _schema, default: _default, quorum: _quorum, ...more } = metadata;
  return Object.keys(more).length === 0 ? null : more;
}

const texts = (json: Json | undefined): string[] =>
  Array.isArray(json) ? json.filter((one): one is string => typeof one === "string") : [];

/** What a question says, as plain JSON. */
function bodyOf(question: Question): QuestionBody {
  try {
    // Secrets stay names; text that only looks like one is shown as it was asked.
    const asked = JSON.parse(Secrets.readable(JSON.stringify(question.body))) as Json;
    const plain = toJson(decodeValue(asked)) as Json;
    return isJsonObject(plain) ? plain : { prompt: plain };
  } catch {
    return { prompt: question.body };
  }
}
