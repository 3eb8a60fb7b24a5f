/** Which page is shown: the address, followed without loading anew. */
import { signal } from "@preact/signals";

export interface Place {
  /** `/c/ID` */
  readonly path: string;
  /** `tab=why`, without the question mark. */
  readonly query: URLSearchParams;
}

const here = (): Place => ({ path: location.pathname, query: new URLSearchParams(location.search) });

export const place = signal<Place>(here());

export function go(path: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (replace) history.replaceState(null, "", path);
  else history.pushState(null, "", path);
  place.value = here();
}

/** Sets or (null) removes a part of the query of this page. */
export function setQuery(name: string, value: string | null): void {
  const query = new URLSearchParams(location.search);
  if (value === null) query.delete(name);
  else query.set(name, value);
  const text = query.toString();
  go(location.pathname + (text === "" ? "" : `?${text}`), { replace: true });
}

/** Links of this page are followed in place, unless somebody wants them elsewhere. */
export function startRouter(): void {
  addEventListener("popstate", () => {
    place.value = here();
  });
  document.addEventListener("click", (event) => {
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey
    )
      return;
    const link = (event.target as Element | null)?.closest?.("a");
    if (link?.target !== "" || link.hasAttribute("download")) return;
    const url = new URL(link.href, location.href);
    if (url.origin !== location.origin || url.pathname.startsWith("/api/") || url.protocol === "blob:")
      return;
    if (url.hash !== "" && url.pathname === location.pathname) return;
    event.preventDefault();
    go(url.pathname + url.search);
  });
}
