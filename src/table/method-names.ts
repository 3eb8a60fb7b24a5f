/**
 * The names of the methods of built-in types (language.md §22), for those who read programs without running them: a test
 * compares them with the tables of `interp/methods`.
 */
const names = (text: string): readonly string[] => text.split(" ");

const iterMethods =
  "map filter flat_map take_while skip_while take skip chunks windows zip chain enumerate iter to_list to_set to_dict count " +
  "sum min max reduce first last any all find for_each";

/** By the name that a type has in annotations. What is not here may have methods that nobody can list. */
export const methodNames: ReadonlyMap<string, readonly string[]> = new Map([
  [
    "string",
    names(
      "count len empty contains starts_with ends_with replace split trim trim_start trim_end lowercase lower to_lower " +
        "uppercase upper to_upper substring slice index_of last_index_of chars char_at lines repeat reverse pad_left " +
        "pad_right iter",
    ),
  ],
  [
    "list",
    names(
      "count empty sort reverse unique compact join contains index_of enumerate zip slice take skip first last sum min max " +
        "flatten push pop tally chunk each_slice window each_cons sliding_window iter to_list to_set map filter flat_map " +
        "reduce find find_index any all every none sort_by min_by max_by partition group_by count_by take_while drop_while",
    ),
  ],
  [
    "dict",
    names(
      "keys values entries count has get merge remove iter to_list to_dict map_values filter map_keys rekey",
    ),
  ],
  [
    "set",
    names(
      "count len empty contains add remove delete union intersect intersection difference symmetric_difference is_subset " +
        "is_superset is_disjoint to_list to_set iter map filter any all every",
    ),
  ],
  ["range", names(`${iterMethods} len empty contains to_string`)],
  ["iter", names(iterMethods)],
  ["Generator", names("iter next")],
  ["Stream", names("iter next")],
  ["int", []],
  ["float", []],
  ["bool", []],
  ["duration", []],
  ["pair", []],
  ["Result", []],
]);

/** Those of them that call what they are given, which may do anything. */
const calling: ReadonlySet<string> = new Set(
  names(
    "map filter flat_map reduce find find_index any all every none sort_by min_by max_by partition group_by count_by take_while " +
      "drop_while skip_while map_values map_keys rekey for_each",
  ),
);

/** With how many values a method calls the function that it is given, and where that stands; `undefined` when it calls none. */
export function callsWith(
  type: string,
  method: string,
): { readonly count: number; readonly at: number } | undefined {
  if (methodNames.get(type)?.includes(method) !== true || !calling.has(method)) return undefined;
  return method === "reduce" ? { count: 2, at: 1 } : { count: 1, at: 0 };
}

/** Whether a method of text or of a collection gives a value and does nothing else. They all leave alone what they are called on. */
export const onlyGives = (type: string, method: string): boolean =>
  ["string", "list", "dict", "set"].includes(type) &&
  methodNames.get(type)?.includes(method) === true &&
  !calling.has(method);
