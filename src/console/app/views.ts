import type { FunctionComponent } from "react";
import type { Scope } from "../../client/index.ts";
import type { CurrentSession } from "../lib/session.ts";
import { shell } from "../texts/index.ts";
import { lazyComponent } from "../ui/error-boundary.tsx";
import {
  Braces,
  History,
  type Icon,
  KeyRound,
  LayoutDashboard,
  Plug,
  Trash2,
  Upload,
  Users,
  UsersRound,
  Webhook,
} from "../ui/icons.ts";
import { viewPaths } from "../view-paths.ts";

/** An entry of the navigation. */
export interface ViewLink {
  readonly path: string;
  readonly label: string;
  readonly icon: Icon;
  /** The key that goes to the view after G. */
  readonly key: string;
  /** What the path shows. The users view has a route of its own: it is in the main bundle, and its path has an id. */
  readonly component?: FunctionComponent;
  /** The pattern of the view's addresses. Default: the path alone. */
  readonly route?: string | RegExp;
  /** The view needs one of these scopes. Sessions without them do not see it. */
  readonly scopes?: readonly Scope[];
  /** With authentication off, the view says how to do its work on the server instead. */
  readonly explainsAuthOff?: boolean;
}

interface ViewGroup {
  readonly name: "directory" | "developers";
  readonly views: readonly ViewLink[];
}

const { directory, developers } = shell.groups;

export const usersView: ViewLink = {
  path: viewPaths.users,
  label: directory.users,
  icon: Users,
  key: "u",
  scopes: ["users:read", "users:write"],
};

/** The views, in the order of the navigation. */
const viewGroups: readonly ViewGroup[] = [
  {
    name: "directory",
    views: [
      {
        path: viewPaths.overview,
        label: directory.overview,
        icon: LayoutDashboard,
        key: "o",
        scopes: ["users:read"],
        component: lazyComponent(async () => (await import("../chunks/views.ts")).OverviewView),
      },
      usersView,
      {
        path: viewPaths.groups,
        route: /^\/groups(?:\/(?<id>new|\d+)(?:\/(?<part>fields|history))?)?\/?$/,
        label: directory.groups,
        icon: UsersRound,
        key: "g",
        scopes: ["groups:read"],
        component: lazyComponent(async () => (await import("../chunks/views.ts")).GroupsView),
      },
      {
        path: viewPaths.import,
        label: directory.import,
        icon: Upload,
        key: "i",
        scopes: ["users:write", "groups:write"],
        component: lazyComponent(async () => (await import("../import/import-view.tsx")).default),
      },
      {
        path: viewPaths.activity,
        label: directory.activity,
        icon: History,
        key: "a",
        scopes: ["events:read"],
        component: lazyComponent(async () => (await import("../chunks/views.ts")).ActivityView),
      },
      {
        path: viewPaths.deletedUsers,
        label: directory.deletedUsers,
        icon: Trash2,
        key: "d",
        scopes: ["users:read"],
        component: lazyComponent(async () => (await import("../chunks/views.ts")).DeletedView),
      },
      {
        path: viewPaths.schema,
        label: directory.schema,
        icon: Braces,
        key: "s",
        scopes: ["users:read", "schema:manage"],
        component: lazyComponent(async () => (await import("../chunks/views.ts")).SchemaView),
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
        key: "k",
        scopes: ["keys:manage"],
        explainsAuthOff: true,
        component: lazyComponent(async () => (await import("../chunks/views.ts")).KeysView),
      },
      {
        path: viewPaths.webhooks,
        route: `${viewPaths.webhooks}/:id?`,
        label: developers.webhooks,
        icon: Webhook,
        key: "w",
        scopes: ["webhooks:manage"],
        explainsAuthOff: true,
        component: lazyComponent(async () => (await import("../chunks/views.ts")).WebhooksView),
      },
      {
        path: viewPaths.connect,
        label: developers.connect,
        icon: Plug,
        key: "c",
        component: lazyComponent(async () => (await import("../chunks/views.ts")).ConnectView),
      },
    ],
  },
];

export const views = viewGroups.flatMap((group) => group.views);

/** The groups of the navigation, with the views that the session can use. */
export function usableGroups(session: CurrentSession): readonly ViewGroup[] {
  return viewGroups
    .map(({ name, views }) => ({ name, views: views.filter((view) => canUse(view, session)) }))
    .filter(({ views }) => views.length > 0);
}

export function usableViews(session: CurrentSession): readonly ViewLink[] {
  return views.filter((view) => canUse(view, session));
}

export function canUse({ scopes, explainsAuthOff = false }: ViewLink, session: CurrentSession): boolean {
  if (session.auth === "off" && explainsAuthOff) return true;
  return !scopes || scopes.some((scope) => session.scopes.includes(scope));
}
