import { type ReactNode, useEffect, useState } from "react";
import { Link, useLocation } from "wouter";
import icon from "../../pages/icon.svg";
import { importStatus } from "../import/import-status.ts";
import { type Command, useCommands } from "../lib/commands.ts";
import { keepFocus } from "../lib/keep-focus.ts";
import { useObservable } from "../lib/observable.ts";
import { type CurrentSession, useSession } from "../lib/session.ts";
import { useMediaQuery } from "../lib/use-media-query.ts";
import { PaletteButton } from "../palette/palette-button.tsx";
import { showHelp } from "../shortcuts/show-help.tsx";
import { useGoKeys } from "../shortcuts/use-go-keys.ts";
import { useShortcuts } from "../shortcuts/use-shortcuts.ts";
import { useSubmitKey } from "../shortcuts/use-submit-key.ts";
import { shell } from "../texts/index.ts";
import { shortcuts, shortcutTexts } from "../texts/shortcuts.ts";
import { Button } from "../ui/button.tsx";
import { BookOpen, Keyboard, Menu as MenuIcon } from "../ui/icons.ts";
import { landmark } from "../ui/menu.tsx";
import { Popup } from "../ui/popup.tsx";
import { useUndoKey } from "../users/undo/use-undo-key.ts";
import { viewPaths } from "../view-paths.ts";
import { AccountMenu } from "./account-menu.tsx";
import { ConnectionBanner } from "./connection-banner.tsx";
import { usableGroups } from "./views.ts";

const { help } = shortcuts.everywhere;
const helpCommands: readonly Command[] = [
  { id: "shortcuts", label: shortcutTexts.title, hint: help.key, icon: Keyboard, run: showHelp },
];

/** Navigation and frame around every view. */
export function Shell({
  session,
  children,
}: {
  readonly session: CurrentSession;
  readonly children: ReactNode;
}) {
  useEffect(keepFocus, []);
  useUndoKey();
  useGoKeys(session);
  useSubmitKey();
  useShortcuts([[help, showHelp]], { inDrawer: true });
  useCommands("everywhere", helpCommands);
  return (
    <div className="shell">
      <a className="skip" href="#content">
        {shell.skip}
      </a>
      <header className="side">
        <NavigationMenu />
        <Link href={viewPaths.overview} className="brand">
          <img src={icon} alt="" width="22" height="22" />
          <span className="rail-hidden">{shell.brand}</span>
        </Link>
        <PaletteButton session={session} />
        <Navigation />
        <AccountMenu session={session} />
      </header>
      <main ref={landmark} id="content" className="content" tabIndex={-1}>
        <ConnectionBanner />
        {children}
      </main>
    </div>
  );
}

/** Windows in which the navigation is a rail of icons. */
const RAIL = "(48rem <= width < 75rem)";

/** The links to all views. */
function Navigation({ onNavigate }: { readonly onNavigate?: () => void }) {
  const [location] = useLocation();
  const isRail = useMediaQuery(RAIL);
  const session = useSession();
  // An open user belongs to the users view, an open webhook to the webhooks view.
  const current = `/${location.split("/")[1]}`;
  return (
    <nav className="views" aria-label={shell.navigation}>
      {(session ? usableGroups(session) : []).map(({ name, views }) => (
        <div key={name} className="view-group">
          <p className="view-group-name rail-hidden">{shell.groups[name].title}</p>
          {views.map(({ path, label, icon: Icon }) => (
            <Link
              key={path}
              href={path}
              className={`view-link${path === current ? " active" : ""}`}
              aria-current={path === current ? "page" : undefined}
              title={isRail ? label : undefined}
              onClick={onNavigate}
            >
              <Icon aria-hidden />
              <span className="rail-hidden">{label}</span>
              {path === viewPaths.import && <ImportStatus />}
            </Link>
          ))}
          {name === "developers" && (
            <a className="view-link" href="/docs" title={isRail ? shell.reference : undefined}>
              <BookOpen aria-hidden />
              <span className="rail-hidden">{shell.reference}</span>
            </a>
          )}
        </div>
      ))}
    </nav>
  );
}

/** How far an import is, so that people who are in another view find it again. */
function ImportStatus() {
  const status = useObservable(importStatus);
  return status === undefined ? null : (
    <span className="view-status" title={status}>
      {status}
    </span>
  );
}

/** The navigation on phones: a button that opens the links. */
function NavigationMenu() {
  const [open, setOpen] = useState(false);
  return (
    <Popup
      title={shell.navigation}
      open={open}
      onOpenChange={setOpen}
      trigger={
        <Button
          kind="quiet"
          className="navigation-menu"
          icon={<MenuIcon aria-hidden />}
          aria-label={shell.openNavigation}
        />
      }
    >
      <Navigation onNavigate={() => setOpen(false)} />
    </Popup>
  );
}
