/** The table of routes. A file of rows is joined here. */
import type { Route } from "../route.ts";
import { basicRoutes } from "./basics.ts";

export const allRoutes: readonly Route[] = [...basicRoutes];
