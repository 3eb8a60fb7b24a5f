/** Completions for bash; from version 3.2, which macOS has. */
import { type CompletionPlace, flagsWithValue } from "./places.ts";

const bashQuoted = (text: string): string => `"${text}"`;

export function bashText(places: readonly CompletionPlace[]): string {
  const commands = places.map(({ path }) => path).filter((path) => path !== "");
  const valued = flagsWithValue(places);
  const choices = places.flatMap(({ path, flags }) =>
    flags
      .filter((flag) => flag.choices.length > 0)
      .map(
        (flag) =>
          `      ${flag.names.map((name) => bashQuoted(`${path} ${name}`)).join("|")}) words=${bashQuoted(flag.choices.join(" "))} ;;`,
      ),
  );
  const rows = places.map(
    ({ path, commands: below, values, flags }) =>
      `      ${bashQuoted(path)}) words=${bashQuoted([...below.map(({ name }) => name), ...values].join(" "))} flags=${bashQuoted(flags.flatMap(({ names }) => names).join(" "))} ;;`,
  );
  return `# Completions of harn for bash. In ~/.bashrc: eval "$(harn completions bash)"
_harn() {
  local at="" value="" words="" flags="" word i
  local cur="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    # \`--flag=value\` comes as three words.
    if [[ $word == "=" ]]; then continue; fi
    if [[ -n $value ]]; then value=""; continue; fi
    case "$word" in
      --) return 0 ;;
      -*)
        case "$at $word" in
          ${valued.map(bashQuoted).join("|")}) value="$word" ;;
        esac
        ;;
      *)
        case "$at/$word" in
          ${commands.map(bashQuoted).join("|")}) at="$at/$word" ;;
        esac
        ;;
    esac
  done
  if [[ $cur == "=" ]]; then cur=""; fi
  if [[ -n $value ]]; then
    case "$at $value" in
${choices.join("\n")}
    esac
  else
    case "$at" in
${rows.join("\n")}
    esac
    if [[ $cur == -* ]]; then words="$flags"; fi
  fi
  # Nothing of ours: the shell goes on with files.
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _harn harn
`;
}
