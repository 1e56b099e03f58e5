import { KeyRound, LayoutDashboard, type LucideIcon, Plug, Upload, Users } from "lucide-react";
import type { FunctionComponent } from "react";
import { shell } from "../texts/index.ts";
import { lazyComponent } from "../ui/error-boundary.tsx";
import { viewPaths } from "../view-paths.ts";

/** An entry of the navigation. */
interface ViewLink {
  readonly path: string;
  readonly label: string;
  readonly icon: LucideIcon;
  /** What the path shows. The users view has a route of its own: it is in the main bundle, and its path has an id. */
  readonly component?: FunctionComponent;
}

interface ViewGroup {
  readonly name: "directory" | "developers";
  readonly views: readonly ViewLink[];
}

const { directory, developers } = shell.groups;

/** The views, in the order of the navigation. */
export const viewGroups: readonly ViewGroup[] = [
  {
    name: "directory",
    views: [
      {
        path: viewPaths.overview,
        label: directory.overview,
        icon: LayoutDashboard,
        component: lazyComponent(() => import("../overview/overview-view.tsx")),
      },
      { path: viewPaths.users, label: directory.users, icon: Users },
      {
        path: viewPaths.import,
        label: directory.import,
        icon: Upload,
        component: lazyComponent(() => import("../import/import-view.tsx")),
      },
    ],
  },
  {
    name: "developers",
    views: [
      {
        path: viewPaths.keys,
        label: developers.keys,
        icon: KeyRound,
        component: lazyComponent(() => import("../keys/keys-view.tsx")),
      },
      {
        path: viewPaths.connect,
        label: developers.connect,
        icon: Plug,
        component: lazyComponent(() => import("../connect/connect-view.tsx")),
      },
    ],
  },
];

export const views = viewGroups.flatMap((group) => group.views);
