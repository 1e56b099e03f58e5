import { useQueryClient } from "@tanstack/react-query";
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
import { type ReactNode, useSyncExternalStore } from "react";
import { Link } from "wouter";
import icon from "../../pages/icon.svg";
import { ask } from "../api.ts";
import { shell } from "../texts/index.ts";
import { Button } from "../ui/button.tsx";
import { tellFailure } from "../ui/toasts.tsx";
import { type Theme, useTheme } from "./theme.ts";
import { type Who, whoQuery } from "./who.ts";

const views: readonly (readonly [path: string, label: string, icon: LucideIcon])[] = [
  ["/", shell.users, Users],
  ["/import", shell.import, Upload],
  ["/keys", shell.keys, KeyRound],
  ["/connect", shell.connect, Plug],
];
const themeIcons: Record<Theme, LucideIcon> = { system: MonitorCog, light: Sun, dark: Moon };

/** What stands around every view. */
export function Shell({ who, children }: { readonly who: Who; readonly children: ReactNode }) {
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
            <Link key={path} href={path} className={(active) => `view-link${active ? " active" : ""}`}>
              <Icon aria-hidden />
              {label}
            </Link>
          ))}
        </nav>
        <div className="side-foot">
          <a className="view-link reference" href="/docs">
            <BookOpen aria-hidden />
            <span>{shell.reference}</span>
          </a>
          <SignedIn who={who} />
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

function SignedIn({ who }: { readonly who: Who }) {
  const queries = useQueryClient();
  if (who.auth !== "session") return null;
  const signOut = async () => {
    try {
      await ask("/api/session", { method: "DELETE" });
      queries.clear();
      queries.setQueryData(whoQuery.queryKey, null);
    } catch (error) {
      tellFailure(error);
    }
  };
  return (
    <div className="signed-in">
      <span className="signed-in-name" title={shell.signedInAs(who.key?.name ?? "")}>
        {who.key?.name}
      </span>
      <Button kind="quiet" icon={<LogOut aria-hidden />} aria-label={shell.signOut} onClick={signOut} />
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
