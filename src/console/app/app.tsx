import { CSPProvider } from "@base-ui/react/csp-provider";
import { useQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { Link, Redirect, Route, Router, Switch, useLocation } from "wouter";
import { useSearch } from "wouter/use-browser-location";
import { dismissPrompt } from "../lib/api.ts";
import { useIsOverList } from "../lib/over-list.ts";
import { type CurrentSession, sessionQuery } from "../lib/session.ts";
import { useSignInPrompt } from "../lib/sign-in-prompt.ts";
import { guardNavigation } from "../lib/unsaved-changes.ts";
import { useLiveUpdates } from "../live/use-live-updates.ts";
import { shell } from "../texts/index.ts";
import { Dialogs } from "../ui/dialogs.tsx";
import { ErrorBoundary, lazyComponent, OverlayBoundary } from "../ui/error-boundary.tsx";
import { EmptyState, ErrorState, Loading } from "../ui/states.tsx";
import { Toasts } from "../ui/toasts.tsx";
import { UsersView } from "../users/table/users-view.tsx";
import { viewPaths } from "../view-paths.ts";
import { Shell } from "./shell.tsx";
import { viewComponents } from "./view-components.ts";
import { ViewGate } from "./view-gate.tsx";
import { usersView, views } from "./views.ts";

const UserPage = lazyComponent(async () => (await import("../chunks/users-tools.ts")).UserPage);
const SignInPage = lazyComponent(async () => (await import("./sign-in.tsx")).SignInPage);
const SignInAgain = lazyComponent(async () => (await import("./sign-in.tsx")).SignInAgain);

export function App() {
  return (
    // The page's content security policy does not allow style elements.
    <CSPProvider disableStyleElements>
      <Router aroundNav={guardNavigation}>
        <ErrorBoundary>
          <Suspense fallback={<Loading />}>
            <AuthGate />
          </Suspense>
        </ErrorBoundary>
        <Dialogs />
        <Toasts />
      </Router>
    </CSPProvider>
  );
}

/** Shows the console to callers whom the service accepts, and the sign-in page to others. */
function AuthGate() {
  const { data: session, error, refetch } = useQuery(sessionQuery);
  const signInReason = useSignInPrompt();
  const [location] = useLocation();
  const search = useSearch();
  if (session === undefined) {
    return error ? <ErrorState level={1} error={error} retry={() => void refetch()} /> : <Loading />;
  }
  if (session === null) return <SignInPage />;
  return (
    <>
      <LiveUpdates session={session} />
      <Shell session={session}>
        <ErrorBoundary resetKey={location}>
          <Suspense fallback={<Loading />}>
            <Switch>
              {/* Links to a list of users had this address once. */}
              {location === viewPaths.overview && search !== "" && (
                <Redirect to={`${viewPaths.users}${search}`} replace />
              )}
              {views.map((view) => {
                const { path, route = path } = view;
                const Component = viewComponents.get(path);
                return (
                  Component && (
                    <Route key={path} path={route}>
                      <ViewGate view={view} session={session}>
                        <Component />
                      </ViewGate>
                    </Route>
                  )
                );
              })}
              {/* One route for the table and the drawer: the table stays mounted while a user is open. */}
              <Route path={/^\/users(?:\/(?<id>new|\d+))?\/?$/}>
                {({ id }) => (
                  <ViewGate view={usersView} session={session}>
                    <UsersRoute id={id} />
                  </ViewGate>
                )}
              </Route>
              <Route>
                <EmptyState level={1} title={shell.notFound.title} text={shell.notFound.text}>
                  <Link href={viewPaths.users} className="button primary">
                    {shell.notFound.action}
                  </Link>
                </EmptyState>
              </Route>
            </Switch>
          </Suspense>
        </ErrorBoundary>
      </Shell>
      {signInReason && (
        <OverlayBoundary onClose={dismissPrompt}>
          <SignInAgain session={session} reason={signInReason} />
        </OverlayBoundary>
      )}
    </>
  );
}

/** The list, with a user in the drawer over it, or the page of a user. */
function UsersRoute({ id }: { readonly id: string | undefined }) {
  const isOverList = useIsOverList();
  const isPage = id !== undefined && id !== "new" && !isOverList;
  return isPage ? <UserPage key={id} id={Number(id)} /> : <UsersView id={id} />;
}

function LiveUpdates({ session }: { readonly session: CurrentSession }) {
  useLiveUpdates(session);
  return null;
}
