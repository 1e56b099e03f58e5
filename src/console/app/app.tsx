import { CSPProvider } from "@base-ui/react/csp-provider";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { Link, Route, Switch } from "wouter";
import { shell } from "../texts/index.ts";
import { Failure, Loading, State } from "../ui/states.tsx";
import { Toasts } from "../ui/toasts.tsx";
import { UsersView } from "../users/users-view.tsx";
import { useAskedToSignIn } from "./session.ts";
import { Shell } from "./shell.tsx";
import { whoQuery } from "./who.ts";

// The users are what most come for; the rest is fetched when somebody goes there.
const ImportView = lazy(() => import("../import/import-view.tsx"));
const KeysView = lazy(() => import("../keys/keys-view.tsx"));
const ConnectView = lazy(() => import("../connect/connect-view.tsx"));
const SignInPage = lazy(() => import("./sign-in.tsx").then(({ SignInPage }) => ({ default: SignInPage })));
const SignInAgain = lazy(() => import("./sign-in.tsx").then(({ SignInAgain }) => ({ default: SignInAgain })));

export function App() {
  return (
    // Its style elements would be against the page's policy.
    <CSPProvider disableStyleElements>
      <Suspense fallback={<Loading />}>
        <Door />
      </Suspense>
      <Toasts />
    </CSPProvider>
  );
}

/** Lets in whom the service lets in; everybody else signs in first. */
function Door() {
  const { data: who, error, refetch } = useQuery(whoQuery);
  const asking = useAskedToSignIn();
  if (who === undefined) {
    return error ? <Failure error={error} retry={() => void refetch()} /> : <Loading />;
  }
  if (who === null) return <SignInPage />;
  return (
    <>
      <Shell who={who}>
        <Suspense fallback={<Loading />}>
          <Switch>
            <Route path="/import" component={ImportView} />
            <Route path="/keys" component={KeysView} />
            <Route path="/connect" component={ConnectView} />
            {/* One element for both, so that the table stays while a user is open. */}
            <Route path={/^\/(?:users\/(?<id>new|\d+))?\/?$/}>{({ id }) => <UsersView id={id} />}</Route>
            <Route>
              <State level={1} title={shell.notFound.title} text={shell.notFound.text}>
                <Link href="/" className="button primary">
                  {shell.notFound.action}
                </Link>
              </State>
            </Route>
          </Switch>
        </Suspense>
      </Shell>
      {asking && (
        <Suspense>
          <SignInAgain who={who} why={asking} />
        </Suspense>
      )}
    </>
  );
}
