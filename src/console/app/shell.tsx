import {
  BookOpen,
  KeyRound,
  LogOut,
  type LucideIcon,
  MonitorCog,
  Moon,
  Plug,
  Sun,
  Upload,
  Users,
  WifiOff,
} from "lucide-react";
import { type ReactNode, useEffect, useSyncExternalStore } from "react";
import { Link, useLocation } from "wouter";
import icon from "../../pages/icon.svg";
import { request } from "../lib/api.ts";
import { type CurrentSession, reloadPage } from "../lib/session.ts";
import { shell } from "../texts/index.ts";
import { Button } from "../ui/button.tsx";
import { showErrorToast } from "../ui/toasts.tsx";
import { flushPendingDelete } from "../users/undoable-delete.ts";
import { type Theme, useTheme } from "./theme.ts";

const views: readonly (readonly [path: string, label: string, icon: LucideIcon])[] = [
  ["/", shell.users, Users],
  ["/import", shell.import, Upload],
  ["/keys", shell.keys, KeyRound],
  ["/connect", shell.connect, Plug],
];
const themeIcons: Record<Theme, LucideIcon> = { system: MonitorCog, light: Sun, dark: Moon };

/** Navigation and frame around every view. */
export function Shell({
  session,
  children,
}: {
  readonly session: CurrentSession;
  readonly children: ReactNode;
}) {
  const [location] = useLocation();
  // An open user is a drawer over the users view.
  const current = location.startsWith("/users/") ? "/" : location;
  const title = views.find(([path]) => path === current)?.[1];
  useEffect(() => {
    document.title = title === undefined ? shell.brand : shell.titleOf(title);
  }, [title]);
  return (
    <div className="shell">
      <a className="skip" href="#content">
        {shell.skip}
      </a>
      <header className="side">
        <Link href="/" className="brand">
          <img src={icon} alt="" width="22" height="22" />
          {shell.brand}
        </Link>
        <nav className="views" aria-label={shell.navigation}>
          {views.map(([path, label, Icon]) => (
            <Link
              key={path}
              href={path}
              className={`view-link${path === current ? " active" : ""}`}
              aria-current={path === current ? "page" : undefined}
            >
              <Icon aria-hidden />
              {label}
            </Link>
          ))}
        </nav>
        <div className="side-foot">
          <a className="view-link reference" href="/docs" aria-label={shell.reference}>
            <BookOpen aria-hidden />
            <span className="hidden-on-phone">{shell.reference}</span>
          </a>
          <SignedIn session={session} />
          <ThemeSwitch />
        </div>
      </header>
      <main id="content" className="content">
        <Offline />
        {children}
      </main>
    </div>
  );
}

function SignedIn({ session }: { readonly session: CurrentSession }) {
  if (session.auth !== "session") return null;
  const signOut = async () => {
    try {
      await flushPendingDelete();
      await request("/api/session", { method: "DELETE" });
      reloadPage();
    } catch (error) {
      showErrorToast(error);
    }
  };
  return (
    <div className="signed-in">
      <span className="session-name" title={shell.signedInAs(session.key?.name ?? "")}>
        {session.key?.name}
      </span>
      <Button
        kind="quiet"
        icon={<LogOut aria-hidden />}
        aria-label={shell.signOut}
        title={shell.signOut}
        onClick={signOut}
      />
    </div>
  );
}

function ThemeSwitch() {
  const [theme, next] = useTheme();
  const Icon = themeIcons[theme];
  const label = shell.theme[theme];
  return <Button kind="quiet" icon={<Icon aria-hidden />} aria-label={label} title={label} onClick={next} />;
}

function Offline() {
  const online = useSyncExternalStore(
    (listener) => {
      addEventListener("online", listener);
      addEventListener("offline", listener);
      return () => {
        removeEventListener("online", listener);
        removeEventListener("offline", listener);
      };
    },
    () => navigator.onLine,
  );
  if (online) return null;
  return (
    <p className="offline" role="status">
      <WifiOff aria-hidden />
      {shell.offline}
    </p>
  );
}
