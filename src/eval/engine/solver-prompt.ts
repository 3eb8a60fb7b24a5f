/** What a solver without code of its own asks its model. */
import { Callable, Dict, display, List, type Value } from "../../values/index.ts";
import { letterOf } from "../score/index.ts";

/** The input of a sample as its solver says it; one with code of its own is given the sample and says what it wants. */
export const askedOf = (solver: Value, sample: Dict): Value =>
  solver instanceof Callable ? (sample.get("input") ?? null) : withChoices(sample);

/** The input, and after its text (of messages: the last of the user's) the choices, where that does not have all of them already. */
function withChoices(sample: Dict): Value {
  const input = sample.get("input") ?? null;
  const choices = sample.get("choices") ?? null;
  if (!(choices instanceof List) || choices.length === 0) return input;
  const texts = choices.toArray().map((choice) => display(choice));
  const lines = texts.map((text, index) => `${letterOf(index)}) ${text}`);
  const question = `\n\n${lines.join("\n")}\n\nAnswer with the letter of the right choice.`;
  const asks = (said: string): boolean => !texts.every((text) => said.includes(text));
  if (typeof input === "string") return asks(input) ? input + question : input;
  if (!(input instanceof List)) return input;
  const messages = input.toArray();
  const at = messages.findLastIndex((one) => one instanceof Dict && one.get("role") === "user");
  const last = messages[at];
  if (!(last instanceof Dict)) return input;
  const content = last.get("content") ?? "";
  const asked =
    content instanceof List
      ? new List([...content, Dict.of({ type: "text", text: question })])
      : display(content) + question;
  if (!asks(display(content))) return input;
  return new List(messages.with(at, last.with("content", asked)));
}
