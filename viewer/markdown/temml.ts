/** The formula library behind one function; a chunk of its own. */
import temml from "temml";

export const mathTree = (tex: string, displayMode: boolean) =>
  temml.__renderToMathMLTree(tex, {
    displayMode,
    throwOnError: true,
    trust: false,
    strict: false,
    maxExpand: 500,
    maxSize: [20, 10],
  });
