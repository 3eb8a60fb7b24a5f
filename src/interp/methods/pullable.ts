/** Methods of generators and streams (language.md §22.8), and what a pull looks like to a script. */
import { Dict, iterOf, type Pullable, proceed, Shape, type Value } from "../../values/index.ts";
import { methodTable } from "./method.ts";

const stepShape = Shape.ofLiteral(["done", "value"]) as Shape;

/** `{value, done}` of one pull. */
export const stepDict = (pulled: Value | undefined): Dict =>
  Dict.shaped(stepShape, [pulled === undefined, pulled ?? null]);

export const pullableMethods = methodTable<Pullable>({
  never: { iter: (_task, source) => iterOf(source) },
  may: { next: (task, source) => proceed(source.next(task), stepDict) },
});
