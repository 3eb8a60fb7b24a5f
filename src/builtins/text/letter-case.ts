/** Cases of names. Words are found by loops over characters: backtracking patterns are quadratic on long capitals. */

const isUpper = (char: string): boolean => /^\p{Lu}$/u.test(char);
const isLowerOrDigit = (char: string): boolean => /^[\p{Ll}\p{N}]$/u.test(char);
const isLower = (char: string): boolean => /^\p{Ll}$/u.test(char);

export function upperFirst(text: string): string {
  const [first = ""] = text;
  return first.toUpperCase() + text.slice(first.length);
}

export function lowerFirst(text: string): string {
  const [first = ""] = text;
  return first.toLowerCase() + text.slice(first.length);
}

/** Words of a camel-case name: broken before a capital after lower case or digit, and before an acronym's last capital. */
function camelWords(text: string): string[] {
  const all = [...text];
  const words: string[] = [];
  let word = "";
  all.forEach((char, index) => {
    const before = all[index - 1];
    const after = all[index + 1];
    const breaks =
      before !== undefined &&
      isUpper(char) &&
      (isLowerOrDigit(before) || (isUpper(before) && after !== undefined && isLower(after)));
    if (breaks && word !== "") {
      words.push(word);
      word = "";
    }
    word += char;
  });
  return word === "" ? words : [...words, word];
}

function caseWords(text: string, from: string): string[] {
  if (from === "snake") return text.split("_").filter((word) => word.trim() !== "");
  if (from === "kebab") return text.split("-").filter((word) => word.trim() !== "");
  return camelWords(text);
}

/** From one case to another; both are names such as `snake`. */
export function convertCase(text: string, from: string, to: string): string {
  if (from === "pascal" && to === "camel") return lowerFirst(text);
  if (from === "camel" && to === "pascal") return upperFirst(text);
  const parts = caseWords(text, from);
  switch (to) {
    case "camel":
      return parts.map((word, index) => (index === 0 ? word : upperFirst(word))).join("");
    case "pascal":
      return parts.map(upperFirst).join("");
    case "kebab":
      return parts.map((word) => (from === "snake" ? word : word.toLowerCase())).join("-");
    default:
      return parts.map((word) => (from === "kebab" ? word : word.toLowerCase())).join("_");
  }
}

/** Each word with a capital, the rest in lower case; white space is kept. */
export function titleCase(text: string): string {
  return text.replace(/\S+/gu, (word) => upperFirst(word.toLowerCase()));
}
