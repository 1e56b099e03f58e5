import { keyLimits } from "../contract/key.ts";
import { type Html, html } from "./html.ts";

/** Who is signed in on this page. The script shows it where callers are asked for a key, and nowhere else. */
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

/** In a form: as whom it sends its request, or that it needs a key first. */
export function keyLine(access: string): Html | false {
  return (
    access !== "public" &&
    html`<p class="key-line" data-key-line data-access="${access}" hidden><span></span> <button type="button" data-sign-in></button></p>`
  );
}

/**
 * Where a key is traded for a session. Its field has no name and its form goes nowhere by itself, so that no browser puts
 * the key into an address.
 */
export function signInDialog(): Html {
  return html`
<dialog class="sign-in" closedby="any" aria-labelledby="sign-in-title" data-sign-in-dialog>
  <form method="post" autocomplete="off">
    <h2 id="sign-in-title">Sign in</h2>
    <p id="sign-in-note">The key goes to this service and nowhere else. It is traded for a cookie that no script can read, good for
${keyLimits.sessionHours} hours on these pages; nothing keeps the key.</p>
    <p class="failure" data-unencrypted hidden>This page came without encryption, and so would the key go: others on the way could
read it.</p>
    <label for="sign-in-key">Key</label>
    <input id="sign-in-key" type="password" required autocomplete="off" autocapitalize="none" spellcheck="false" placeholder="roster_…" aria-describedby="sign-in-note sign-in-fault">
    <p class="failure" id="sign-in-fault" role="alert"></p>
    <div class="actions">
      <button class="send">Sign in</button>
      <button type="button" class="cancel">Cancel</button>
    </div>
  </form>
</dialog>`;
}
