/** Ending the connection of a request without a word: what a client does not take can't tell it anything either. */

const cuts = new WeakMap<Request, () => void>();

/** Whoever has the sockets says how. */
export const cutsBy = (request: Request, cutIt: () => void): void => void cuts.set(request, cutIt);

/** Nothing happens to a request that came without a socket. */
export const cut = (request: Request): void => cuts.get(request)?.();
