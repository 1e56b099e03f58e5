import { CSPProvider } from "@base-ui/react/csp-provider";
import { useQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { Link, Route, Switch, useLocation } from "wouter";
import { whoQuery } from "../lib/session.ts";
import { resumeSession, useAskedToSignIn } from "../lib/sign-in-prompt.ts";
import { shell } from "../texts/index.ts";
import { Boundary, lazyComponent, Over } from "../ui/error-boundary.tsx";
import { ErrorState, Loading, EmptyState } from "../ui/states.tsx";
import { Toasts } from "../ui/toasts.tsx";
import { UsersView } from "../users/table/users-view.tsx";
import { Shell } from "./shell.tsx";

// The users are what most come for; the rest is fetched when somebody goes there.
const ImportView = lazyComponent(() => import("../import/import-view.tsx"));
const KeysView = lazyComponent(() => import("../keys/keys-view.tsx"));
const ConnectView = lazyComponent(() => import("../connect/connect-view.tsx"));
const SignInPage = lazyComponent(async () => ({ default: (await import("./sign-in.tsx")).SignInPage }));
const SignInAgain = lazyComponent(async () => ({ default: (await import("./sign-in.tsx")).SignInAgain }));

export function App() {
  return (
    // Its style elements would be against the page's policy.
    <CSPProvider disableStyleElements>
      <Boundary>
        <Suspense fallback={<Loading />}>
          <Door />
        </Suspense>
      </Boundary>
      <Toasts />
    </CSPProvider>
  );
}

/** Lets in whom the service lets in; everybody else signs in first. */
function Door() {
  const { data: who, error, refetch } = useQuery(whoQuery);
  const asking = useAskedToSignIn();
  const [location] = useLocation();
  if (who === undefined) {
    return error ? <ErrorState error={error} retry={() => void refetch()} /> : <Loading />;
  }
  if (who === null) return <SignInPage />;
  return (
    <>
      <Shell who={who}>
        <Boundary at={location}>
          <Suspense fallback={<Loading />}>
            <Switch>
              <Route path="/import" component={ImportView} />
              <Route path="/keys" component={KeysView} />
              <Route path="/connect" component={ConnectView} />
              {/* One element for both, so that the table stays while a user is open. */}
              <Route path={/^\/(?:users\/(?<id>new|\d+))?\/?$/}>{({ id }) => <UsersView id={id} />}</Route>
              <Route>
                <EmptyState level={1} title={shell.notFound.title} text={shell.notFound.text}>
                  <Link href="/" className="button primary">
                    {shell.notFound.action}
                  </Link>
                </EmptyState>
              </Route>
            </Switch>
          </Suspense>
        </Boundary>
      </Shell>
      {asking && (
        <Over onClose={resumeSession}>
          <SignInAgain who={who} why={asking} />
        </Over>
      )}
    </>
  );
}
