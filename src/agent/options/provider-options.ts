/** The options `context_providers` and `sandbox_path` (docs/control-plane.md, "What it knows from the start"). */
import { type At, inside, type Read, refusal, row, rows } from "../../table/index.ts";
import { Callable } from "../../values/index.ts";

const providerFields = rows(
  () => ({
    id: row
      .id("What the part is called; `environment` and `guidance` are the runtime's.")
      .where("a name that is no part of the runtime", (id) => !reserved.has(id))
      .required(),
    provide: row.closure("`fn(ctx) -> text | nil`: gives the part."),
    refresh: row.oneOf(
      ["once", "turn", "compaction"],
      "When it is asked: before the first turn, of every turn, or after a compaction again.",
      "once",
    ),
    max_chars: row.int("Characters of it at most.", 8000, { min: 1 }),
    root: row.text("Of `environment`: the folder that is listed."),
    max_entries: row.int("Of `environment`: entries that are listed.", 100, { min: 1 }),
    depth: row.int("Of `environment`: levels of folders that are listed.", 2, { min: 1 }),
  }),
  { strict: true },
);

/** A part of the system text that belongs to somebody; `root`: null where the program works. */
export type ContextProvider =
  | (ProviderRead & { readonly kind: "environment" })
  | (ProviderRead & { readonly kind: "guidance" })
  | (ProviderRead & { readonly kind: "own"; readonly provide: Callable });
type ProviderRead = Omit<Read<typeof providerFields>, "provide">;

const reserved: ReadonlySet<string> = new Set([
  "preamble",
  "caller",
  "servers",
  "reminders",
  "skills",
  "catalog",
  "progress",
  "tools",
  "deferred",
  "contract",
  "mode",
  "scratchpad",
]);

const runtimeProvider = (id: "environment" | "guidance"): ContextProvider =>
  id === "guidance"
    ? { ...providerFields.usual, id, kind: id }
    : { ...providerFields.usual, id, kind: id, refresh: "compaction" };

const providerRow = () =>
  row
    .either([row.oneOf(["environment", "guidance"]), row.closure(), row.dict(providerFields)])
    .to((read, place): ContextProvider => {
      if (typeof read === "string") return runtimeProvider(read);
      if (read instanceof Callable)
        return { ...providerFields.usual, kind: "own", id: usualId(place), provide: read };
      const { id, provide } = read;
      if (provide !== null) return { ...read, kind: "own", provide };
      if (id === "guidance") return runtimeProvider(id);
      if (id !== "environment") throw refusal(inside(place, "provide"), "closure", null);
      const { root, maxEntries, depth } = read;
      return { ...runtimeProvider(id), root, maxEntries, depth };
    });

/** In the order in which they stand. */
export const providerRows = rows(() => ({
  context_providers: row
    .list(
      providerRow(),
      "Parts of the system text with owners: `environment`, `guidance`, dicts, closures (docs/control-plane.md).",
      [],
    )
    .full(),
  sandbox_path: row.text("The folder that the agent works in: the provider `environment` lists it."),
}));

/** `context_providers[1]` is `provider_2`. */
const usualId = ({ path }: At): string => `provider_${Number(/\[(\d+)\]$/.exec(path)?.[1] ?? 0) + 1}`;

/** With the folder of `sandbox_path`, which is listed whoever else speaks. */
export function providersIn(
  { contextProviders: read, sandboxPath: root }: Read<typeof providerRows>,
  caller: string,
): readonly ContextProvider[] {
  const given = read.map((one) => (one.kind === "environment" && one.root === null ? { ...one, root } : one));
  const listed = root === null || given.some(({ kind }) => kind === "environment");
  const found = listed ? given : [{ ...runtimeProvider("environment"), root }, ...given];
  const ids = found.map(({ id }) => id);
  const twice = ids.findIndex((id, index) => ids.indexOf(id) !== index);
  if (twice >= 0)
    throw refusal({ caller, path: "context_providers" }, "names that stand once", ids[twice] as string);
  return found;
}
