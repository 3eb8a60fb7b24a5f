/** What JSON can say: the form of everything that is recorded or sent. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
