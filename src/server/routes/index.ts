/** The table of routes. A file of rows is joined here. */
import type { Route } from "../route.ts";
import { basicRoutes } from "./basics.ts";
import { conversationRoutes } from "./conversations.ts";
import { eventRoutes } from "./events.ts";
import { fileRoutes } from "./files.ts";
import { forkRoutes } from "./forks.ts";
import { interopRoutes } from "./interop.ts";
import { libraryRoutes } from "./library.ts";
import { paperRoutes } from "./papers.ts";
import { principalRoutes } from "./principals.ts";
import { questionRoutes } from "./questions.ts";
import { runRoutes } from "./runs.ts";

export const allRoutes: readonly Route[] = [
  ...basicRoutes,
  ...conversationRoutes,
  ...eventRoutes,
  ...questionRoutes,
  ...fileRoutes,
  ...runRoutes,
  ...forkRoutes,
  ...paperRoutes,
  ...libraryRoutes,
  ...principalRoutes,
  ...interopRoutes,
];
