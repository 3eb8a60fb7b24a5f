/** What a text answers: the mathematics in it, without prose, LaTeX that only looks, and units. Pure. */

/** Answers are short; what is longer is looked at by its end. */
const maxText = 20_000;

/** The last `\boxed{…}`, what follows `answer:` or `answer is`, the last formula between dollars, else the last line. */
export function answerIn(text: string): string {
  const whole = text.slice(-maxText).trim();
  const boxed = lastBoxed(whole);
  if (boxed !== undefined) return boxed;
  const said = [...whole.matchAll(/\banswer\b\**\s*(?::|is|=)\s*:?\s*([^\n]+)/giu)].at(-1)?.[1];
  const line = (said ?? whole.slice(whole.lastIndexOf("\n") + 1)).trim().replace(/^[*_]+|[*_]+$/gu, "");
  const formulas = [...line.matchAll(/\$\$?([^$]+)\$\$?|\\\((.+?)\\\)|\\\[(.+?)\\\]/gu)];
  const [first] = formulas;
  // A formula that is the whole line, or the last one of a sentence.
  if (first !== undefined && !/^\\?\$\s*[\d.,]+$/u.test(line)) {
    const last = formulas.at(-1) ?? first;
    return (last[1] ?? last[2] ?? last[3] ?? "").trim();
  }
  return line;
}

function lastBoxed(text: string): string | undefined {
  const at = Math.max(text.lastIndexOf("\\boxed{"), text.lastIndexOf("\\fbox{"));
  if (at < 0) return undefined;
  const begin = text.indexOf("{", at) + 1;
  let depth = 1;
  for (let end = begin; end < text.length; end++) {
    if (text[end - 1] === "\\") continue;
    if (text[end] === "{") depth++;
    if (text[end] === "}") depth--;
    if (depth === 0) return text.slice(begin, end);
  }
  return undefined;
}

/** Without what LaTeX has for the eye alone, outer dollars and stops. */
export function withoutLooks(text: string): string {
  return text
    .replace(/\\(?:left|right|[bB]igg?[lr]?|displaystyle|textstyle|limits)(?![a-zA-Z])/gu, "")
    .replace(/\\[,;:! ]|\\quad(?![a-zA-Z])|\\qquad(?![a-zA-Z])|~/gu, " ")
    .replace(/^\s*\$\$?(.*?)\$\$?\s*$/su, "$1")
    .replace(/^\s*[*_]{1,2}(?=\S)(.*?)[*_]{1,2}\s*\.?\s*$/su, "$1")
    .trim()
    .replace(/(?<=[^.])\.$/u, "")
    .trim();
}

export interface Quantity {
  readonly text: string;
  /** In one spelling; undefined: none is written. */
  readonly unit: string | undefined;
  readonly isPercent: boolean;
}

const unitNames: Readonly<Record<string, string>> = {
  centimeter: "cm",
  centimetre: "cm",
  millimeter: "mm",
  millimetre: "mm",
  kilometer: "km",
  kilometre: "km",
  meter: "m",
  metre: "m",
  inch: "in",
  inche: "in",
  foot: "ft",
  feet: "ft",
  gram: "g",
  kilogram: "kg",
  second: "s",
  sec: "s",
  minute: "min",
  hour: "h",
  hr: "h",
  dollar: "$",
  usd: "$",
  euro: "€",
  pound: "£",
  degree: "°",
};

const wordUnit =
  /^(.*[\d)}\]½¼¾⅓⅔]|.*\\pi|.*π)\s*(?:\\ )?((?:[a-zA-Zµ]{2,}|m(?=\s*\^|[²³]))(?:[\s/][a-zA-Z]+)*(?:\s*\^?\s*\{?[23²³]\}?)?)$/su;
const textUnit =
  /^(.*\S)\s*\\(?:text|mathrm|textrm|mbox|operatorname|rm)\s*\{\s*([^{}]*?)\s*\}(\s*\^?\s*\{?[23²³]\}?)?$/su;

/** Names of functions and constants at the end of a formula are no units. */
const isName = /^(?:pi|inf|infty|infinity|sin|cos|tan|ln|log|exp|sqrt|frac)$/u;

/** Its unit taken off: `12 cm`, `\$5`, `30^\circ`, `50\%`. */
export function measured(text: string): Quantity {
  const percent = /^(.*[^\s\\])\s*\\?%$/su.exec(text)?.[1];
  if (percent !== undefined) return { text: percent, unit: undefined, isPercent: true };
  const currency = /^([-−]?)\s*\\?([$€£])\s*(?=[\d.])(.*)$/su.exec(text);
  if (currency !== null) {
    const [, sign = "", unit = "", rest = ""] = currency;
    return { text: sign + rest, unit, isPercent: false };
  }
  const degrees = /^([-−]?[\d.,/\s]+)(?:\^\s*\{?\s*\\circ\s*\}?|°|\\degree)$/su.exec(text)?.[1];
  if (degrees !== undefined) return { text: degrees, unit: "°", isPercent: false };
  const written = textUnit.exec(text);
  if (written !== null && /[\d)}\]]$/u.test(written[1] ?? ""))
    return { text: written[1] ?? "", unit: unitText(written[2] ?? "", written[3]), isPercent: false };
  const word = wordUnit.exec(text);
  if (word !== null && !isName.test(word[2] ?? "") && !isVariables(word[2] ?? ""))
    return { text: word[1] ?? "", unit: unitText(word[2] ?? "", undefined), isPercent: false };
  return { text, unit: undefined, isPercent: false };
}

const twoLetterUnits =
  /^(?:cm|mm|km|kg|mg|ml|ft|in|yd|mi|lb|oz|hr|ms|min|mph|kph|usd|sec)s?(?:\s*\^?\s*\{?[23²³]\}?)?$/iu;

/** `xy` are two variables, `cm` is a unit, and so is a word of three letters and more. */
const isVariables = (word: string): boolean =>
  /^[a-zA-Z]{2}(?:\s*\^?\s*\{?[23²³]\}?)?$/u.test(word) && !twoLetterUnits.test(word);

function unitText(word: string, power: string | undefined): string | undefined {
  const plain = `${word}${power ?? ""}`
    .toLowerCase()
    .replace(/[\s.{}^\\]+/gu, " ")
    .replace("²", " 2")
    .replace("³", " 3")
    .trim();
  const parts = plain
    .replace(/^(?:square|sq) (.*)$/u, "$1 2")
    .replace(/^(?:cubic|cu) (.*)$/u, "$1 3")
    .split(/(?<=[a-z])(?=\d)| /u)
    .map((part) => {
      const single = part.length > 2 ? part.replace(/s$/u, "") : part;
      return unitNames[single] ?? unitNames[part] ?? single;
    });
  const unit = parts.join(" ");
  // `units` says that there is none.
  return unit === "" || unit === "unit" || unit === "unit 2" || unit === "unit 3" ? undefined : unit;
}
