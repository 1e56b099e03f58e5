import type { Scope } from "../../client/index.ts";
import type { CurrentSession } from "../lib/session.ts";
import { shell } from "../texts/index.ts";
import {
  Braces,
  History,
  type Icon,
  KeyRound,
  LayoutDashboard,
  Plug,
  Trash2,
  Upload,
  UserRoundCog,
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
      },
      usersView,
      {
        path: viewPaths.groups,
        route: /^\/groups(?:\/(?<id>new|\d+)(?:\/(?<part>fields|history))?)?\/?$/,
        label: directory.groups,
        icon: UsersRound,
        key: "g",
        scopes: ["groups:read"],
      },
      {
        path: viewPaths.import,
        label: directory.import,
        icon: Upload,
        key: "i",
        scopes: ["users:write", "groups:write"],
      },
      {
        path: viewPaths.activity,
        label: directory.activity,
        icon: History,
        key: "a",
        scopes: ["events:read"],
      },
      {
        path: viewPaths.deletedUsers,
        label: directory.deletedUsers,
        icon: Trash2,
        key: "d",
        scopes: ["users:read"],
      },
      {
        path: viewPaths.schema,
        label: directory.schema,
        icon: Braces,
        key: "s",
        scopes: ["users:read", "schema:manage"],
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
      },
      {
        path: viewPaths.webhooks,
        route: `${viewPaths.webhooks}/:id?`,
        label: developers.webhooks,
        icon: Webhook,
        key: "w",
        scopes: ["webhooks:manage"],
        explainsAuthOff: true,
      },
      {
        path: viewPaths.provisioning,
        label: developers.provisioning,
        icon: UserRoundCog,
        key: "p",
      },
      {
        path: viewPaths.connect,
        label: developers.connect,
        icon: Plug,
        key: "c",
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
