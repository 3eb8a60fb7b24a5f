/** XML (std/xml). */

import { defineBuiltins } from "../../table/index.ts";
import { type Argument, intOr, option, textOf } from "../arguments.ts";
import { xmlFields } from "../rows/text.ts";
import { xmlParse } from "./xml-read.ts";
import { elementXml } from "./xml-write.ts";

export const xml = defineBuiltins("xml", {
  xml_parse: {
    doc:
      "A document as a dict: attributes are `@name`, text beside them `#text`, children of one name a list, an element with " +
      "nothing but text that text, an empty one nil. Document types are skipped; entities of one's own are unknown.",
    sig: "(text: any) -> dict",
    effect: "pure",
    example: "xml_parse(\"<a x='1'><b>t</b><b/></a>\")  // {a: {@x: 1, b: [t, nil]}}",
    run: (_task, text: Argument) => xmlParse(textOf(text)),
  },
  xml_stringify: {
    doc:
      "A document of a value in the form that `xml_parse` gives. Options: `root` (`root`), for a value that does not name " +
      "its root element; `indent` (0), `declaration` (false). Members of lists without a name are `item`.",
    sig: "(value: any, options?: {root?: string, indent?: int, declaration?: bool}) -> string",
    effect: "pure",
    example: 'xml_stringify({a: {"@x": 1, b: ["t", nil]}})  // <a x="1"><b>t</b><b/></a>',
    fields: { options: () => xmlFields },
    run: (_task, value: Argument, options: Argument) =>
      elementXml(value ?? null, {
        root: textOf(option(options, "root"), "root"),
        indent: Math.min(16, Math.max(0, intOr(option(options, "indent"), 0))),
        declaration: option(options, "declaration") === true,
      }),
  },
});
