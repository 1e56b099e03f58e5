import { keyLimits } from "../contract/keys/key.ts";
import { listScopes, type Operation } from "../contract/operation.ts";
import { type Html, html } from "./html.ts";

/** Who is signed in. The script shows this panel if the service requires a key. */
export function sessionPanel(): Html {
  return html`
<div class="session" data-session hidden>
  <p data-session-text role="status"></p>
  <div class="actions">
    <button type="button" data-sign-in>Sign in</button>
    <button type="button" data-sign-out>Sign out</button>
  </div>
</div>`;
}

/** A line in a form: the key that the form uses, or that it requires one. */
export function keyLine(operation: Operation): Html | false {
  return (
    operation.access !== "public" &&
    html`<p class="key-line" data-key-line data-scopes="${formatAlways(operation)}" hidden><span></span> <button type="button" data-sign-in></button></p>`
  );
}

/** The scopes that every request needs, separated by spaces. Of `users:read|schema:manage`, one is enough. */
function formatAlways(operation: Operation): string {
  const always = listScopes(operation).filter(({ query, member }) => (query ?? member) === undefined);
  return always.map(({ anyOf }) => anyOf.join("|")).join(" ");
}

/** An input for the key itself, in forms for which a session is not enough. The script shows it to a signed-in reader. */
export function keyAgain(operation: string): Html {
  const id = `${operation}-key-again`;
  return html`<fieldset data-key-again hidden><legend>Your key</legend>
<p id="${id}-note">A session is not enough to create keys. Enter your API key again. The form sends it once, as <code>Authorization: Bearer</code>.</p>
<label for="${id}">API key</label><input id="${id}" type="password" autocomplete="off" autocapitalize="none" spellcheck="false" placeholder="roster_…" aria-describedby="${id}-note"></fieldset>`;
}

/**
 * The dialog that exchanges a key for a session. The input has no name and only the script submits the form: without the
 * script, no browser puts the key into a URL.
 */
export function signInDialog(): Html {
  return html`
<dialog class="sign-in" closedby="any" aria-labelledby="sign-in-title" data-sign-in-dialog>
  <form method="post" autocomplete="off">
    <h2 id="sign-in-title">Sign in</h2>
    <p id="sign-in-note">The key is sent to this service only, in exchange for a session. The session is
valid for ${keyLimits.sessionHours} hours on the service's pages. The browser does not store the key.</p>
    <p class="failure" data-unencrypted hidden>This page was loaded without encryption. Others on the network could read the key.</p>
    <label for="sign-in-key">API key</label>
    <input id="sign-in-key" type="password" required autocomplete="off" autocapitalize="none" spellcheck="false" placeholder="roster_…" aria-describedby="sign-in-note sign-in-error">
    <p class="failure" id="sign-in-error" role="alert"></p>
    <div class="actions">
      <button class="send">Sign in</button>
      <button type="button" class="cancel">Cancel</button>
    </div>
  </form>
</dialog>`;
}
