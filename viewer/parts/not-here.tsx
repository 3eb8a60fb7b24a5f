/** An address where nothing is, or nothing that this person may see: the two are told in the same words. */
import { useEffect } from "preact/hooks";

export function NotHere({
  what,
  back = "/",
  words = "All conversations",
}: {
  readonly what: string;
  readonly back?: string;
  readonly words?: string;
}) {
  useEffect(() => {
    document.title = `No such ${what} · Harn`;
  }, [what]);
  return (
    <div class="not-here">
      <h1>There is no such {what}.</h1>
      <p>It was removed, it belongs to somebody else, or the address is not quite right.</p>
      <p>
        <a href={back}>{words}</a>
      </p>
    </div>
  );
}
