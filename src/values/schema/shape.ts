/**
 * Shapes: the key sets of small dicts, shared by all dicts that were built with the same keys in the same order.
 *
 * A dict with a shape keeps its values in a plain array of slots, so a literal costs one array, a read site can
 * remember "shape S: slot 2", and key order is computed once per shape instead of once per dict. Shapes form a tree
 * by insertion (as in JavaScript engines); it is bounded, because keys may come from data: past the bounds `child`
 * says no and the dict turns into a hash table.
 *
 * The tree is a cache: nothing that a script can observe depends on it.
 */
import { sortTexts } from "../text/text-order.ts";

/** More keys than this and a dict is a hash table. */
const maxKeys = 24;
/** Different next keys of one shape: past it the keys are data, not names. */
const maxChildren = 64;
const maxShapes = 8192;

let shapeCount = 0;

export class Shape {
  /** Keys by slot, in order of insertion. */
  readonly keys: readonly string[];
  /** Slot by key. */
  readonly index: ReadonlyMap<string, number>;
  /** Whether dicts of this shape may be namespaces of operators (language.md §22.3). */
  readonly namespaced: boolean;
  private children: Map<string, Shape> | undefined = undefined;
  private sorted: readonly string[] | undefined = undefined;
  private slotOrder: readonly number[] | undefined = undefined;

  constructor(keys: readonly string[]) {
    this.keys = keys;
    this.index = new Map(keys.map((key, slot) => [key, slot]));
    this.namespaced = this.index.has("_namespace");
  }

  /** The shape of an empty dict: root of the tree. */
  static readonly empty: Shape = new Shape([]);

  /** The shape of these distinct keys, which may be data; `undefined` past the bounds. */
  static of(keys: readonly string[]): Shape | undefined {
    let shape: Shape | undefined = Shape.empty;
    for (const key of keys) {
      shape = shape.child(key);
      if (shape === undefined) return undefined;
    }
    return shape;
  }

  /**
   * The shape of a literal in the source: distinct keys that are names. To be made once per literal, not once per
   * evaluation: past the bounds of the tree it makes a shape of its own. `undefined` only for too many keys.
   */
  static ofLiteral(keys: readonly string[]): Shape | undefined {
    return Shape.of(keys) ?? (keys.length <= maxKeys ? new Shape([...keys]) : undefined);
  }

  /** The shape with one more key, which must be new; `undefined` past the bounds. */
  child(key: string): Shape | undefined {
    const known = this.children?.get(key);
    if (known !== undefined) return known;
    if (this.keys.length >= maxKeys || shapeCount >= maxShapes) return undefined;
    this.children ??= new Map();
    if (this.children.size >= maxChildren) return undefined;
    shapeCount++;
    const made = new Shape([...this.keys, key]);
    this.children.set(key, made);
    return made;
  }

  /** Keys in ascending code-point order. */
  get sortedKeys(): readonly string[] {
    this.sorted ??= sortTexts([...this.keys]);
    return this.sorted;
  }

  /** Slots in the order of `sortedKeys`. */
  get sortedSlots(): readonly number[] {
    this.slotOrder ??= this.sortedKeys.map((key) => this.index.get(key) as number);
    return this.slotOrder;
  }
}
