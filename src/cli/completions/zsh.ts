/** Completions for zsh. */
import { type CompletionPlace, flagsWithValue } from "./places.ts";

/** A text for the shell as it stands. */
const zshQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A row of a menu: \`name:what it does\`. */
const row = (name: string, doc: string): string =>
  zshQuoted(doc === "" ? name : `${name.replaceAll(":", "\\:")}:${doc}`);

export function zshText(places: readonly CompletionPlace[]): string {
  const commands = places.map(({ path }) => path).filter((path) => path !== "");
  const choices = places.flatMap(({ path, flags }) =>
    flags
      .filter((flag) => flag.choices.length > 0)
      .map(
        (flag) =>
          `      ${flag.names.map((name) => zshQuoted(`${path} ${name}`)).join("|")}) rows=(${flag.choices.map(zshQuoted).join(" ")}) ;;`,
      ),
  );
  const menus = places.map(({ path, commands: below, values, flags }) => {
    const words = [...below.map(({ name, doc }) => row(name, doc)), ...values.map(zshQuoted)];
    const dashed = flags.flatMap(({ names, doc }) => names.map((name) => row(name, doc)));
    return `      ${zshQuoted(path)})
        rows=(${words.join(" ")})
        flags=(${dashed.join(" ")})
        ;;`;
  });
  return `#compdef harn
# Completions of harn for zsh. In ~/.zshrc, after compinit: eval "$(harn completions zsh)"
_harn() {
  local at="" value="" word
  local -a rows flags
  local i
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    if [[ -n $value ]]; then value=""; continue; fi
    case "$word" in
      --) _files; return ;;
      -*)
        case "$at $word" in
          ${flagsWithValue(places).map(zshQuoted).join("|")}) value="$word" ;;
        esac
        ;;
      *)
        case "$at/$word" in
          ${commands.map(zshQuoted).join("|")}) at="$at/$word" ;;
        esac
        ;;
    esac
  done
  if [[ -n $value ]]; then
    case "$at $value" in
${choices.join("\n")}
    esac
  else
    case "$at" in
${menus.join("\n")}
    esac
    if [[ "\${words[CURRENT]}" == -* ]]; then rows=("\${flags[@]}"); fi
  fi
  if (( \${#rows} )); then _describe 'harn' rows; else _files; fi
}
compdef _harn harn
`;
}
