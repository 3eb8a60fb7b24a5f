/**
 * The text of a record that grows: what has been written before (stages, transitions, checkpoints) is not put into words
 * again, so a checkpoint costs what it adds and the writing of the file.
 */
import { Dict, jsonPretty, jsonText, List, type Value } from "../../../values/index.ts";

export class RecordText {
  /** Texts of whole values, by the level at which they stand. Values never change. */
  private readonly known = [new WeakMap<Dict, string>(), new WeakMap<Dict, string>()] as const;

  /** As `jsonPretty` would write it, with the line's end. */
  of(record: Dict): string {
    const lines = [...record.entries()].map(([key, value]) => `  ${jsonText(key)}: ${this.fieldText(value)}`);
    return `{\n${lines.join(",\n")}\n}\n`;
  }

  private fieldText(value: Value): string {
    if (value instanceof Dict) return this.dictText(value, 0);
    const items = value instanceof List ? value.toArray() : [];
    if (items.length === 0 || !items.every((item) => item instanceof Dict))
      return indentedBy(jsonPretty(value), "  ");
    return `[\n${items.map((item) => this.dictText(item as Dict, 1)).join(",\n")}\n  ]`;
  }

  private dictText(dict: Dict, level: 0 | 1): string {
    let text = this.known[level].get(dict);
    if (text === undefined) {
      text = level === 0 ? indentedBy(jsonPretty(dict), "  ") : indentedBy(`    ${jsonPretty(dict)}`, "    ");
      this.known[level].set(dict, text);
    }
    return text;
  }
}

/**
 * Texts in JSON hold no line breaks of their own. Split and joined the result is one flat string; what `replaceAll` gives is
 * a rope of its pieces, which every later writing would walk through again (five times slower at 300 stages).
 */
const indentedBy = (text: string, by: string): string => text.split("\n").join(`\n${by}`);
