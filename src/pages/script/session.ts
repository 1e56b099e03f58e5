import { element, findAll } from "./dom.ts";
import { sessionFetch } from "./session-fetch.ts";

/** The part of GET /api/session that the page shows. */
interface Session {
  auth: string;
  key: { name: string } | null;
  scopes: string[];
  expiresAt: string | null;
}

const SESSION = "/api/session";
let refreshes = 0;

/** Lets the reader sign in, if the service requires a key. */
export function enhanceSession(): void {
  const dialog = document.querySelector<HTMLDialogElement>("[data-sign-in-dialog]");
  if (!dialog) return;
  for (const button of findAll("[data-sign-in]", HTMLElement)) {
    button.addEventListener("click", () => openDialog(dialog, button));
  }
  dialog.querySelector(".cancel")?.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.querySelector("form")?.reset());
  for (const button of findAll("[data-sign-out]", HTMLElement)) {
    button.addEventListener("click", () => void signOut());
  }
  void refreshSession();
}

/** Loads the session and shows it. */
export async function refreshSession(): Promise<void> {
  const refresh = ++refreshes;
  const response = await sessionFetch(new Request(SESSION, { cache: "no-store" })).catch(() => undefined);
  // A later refresh has newer information.
  if (refresh !== refreshes) return;
  if (response?.status === 401) return showSession(undefined);
  if (!response?.ok) return;
  const session: Session = await response.json();
  if (session.auth === "session") showSession(session);
}

function showSession(session: Session | undefined): void {
  const panel = document.querySelector<HTMLElement>("[data-session]");
  const text = panel?.querySelector("[data-session-text]");
  if (!panel || !text) return;
  panel.hidden = false;
  text.replaceChildren(
    ...(session
      ? describeSession(session)
      : ["You are not signed in. The forms on this page require an API key."]),
  );
  for (const button of findAll("[data-sign-in]", HTMLElement, panel)) button.hidden = session !== undefined;
  for (const button of findAll("[data-sign-out]", HTMLElement, panel)) button.hidden = session === undefined;
  for (const line of findAll("[data-key-line]", HTMLElement)) showKeyLine(line, session);
  for (const field of findAll("[data-key-again]", HTMLElement)) field.hidden = session === undefined;
}

function describeSession({ key, scopes, expiresAt }: Session): (Node | string)[] {
  const scopeList = scopes.flatMap((scope, index) => [index > 0 ? ", " : "", element("code", {}, scope)]);
  const time = expiresAt === null ? "" : new Date(expiresAt).toLocaleTimeString([], { timeStyle: "short" });
  return [
    "Signed in as ",
    element("strong", {}, key?.name ?? ""),
    ", with ",
    ...scopeList,
    `, until ${time}.`,
  ];
}

function showKeyLine(line: HTMLElement, session: Session | undefined): void {
  const { scopes = "" } = line.dataset;
  const [text, button] = [line.querySelector("span"), line.querySelector("button")];
  if (!text || !button) return;
  line.hidden = false;
  const required = scopes === "" ? [] : scopes.split(" ");
  const name = element("strong", {}, session?.key?.name ?? "");
  const lacking = required.filter(
    (choices) => !choices.split("|").some((one) => session?.scopes.includes(one)),
  );
  const lacks = session !== undefined && lacking.length > 0;
  if (!session && required.length > 0)
    text.replaceChildren("Requires a key with ", ...nameScopes(required), ".");
  else if (!session) text.replaceChildren("Requires a key.");
  else if (lacks) text.replaceChildren(name, " lacks ", ...nameScopes(lacking), ".");
  else text.replaceChildren("Uses the key ", name, ".");
  button.hidden = session !== undefined && !lacks;
  button.textContent = lacks ? "Sign in with another key" : "Sign in";
}

/** `users:read or schema:manage`, `webhooks:manage and events:read` */
function nameScopes(required: readonly string[]): (Node | string)[] {
  return required.flatMap((choices, index) => [
    index > 0 ? " and " : "",
    ...choices.split("|").flatMap((one, at) => [at > 0 ? " or " : "", element("code", {}, one)]),
  ]);
}

function openDialog(dialog: HTMLDialogElement, opener: HTMLElement): void {
  const form = dialog.querySelector("form");
  const input = dialog.querySelector("input");
  const error = dialog.querySelector("[role=alert]");
  if (!form || !input || !error) return;
  for (const warning of findAll("[data-unencrypted]", HTMLElement, dialog)) warning.hidden = isSecureContext;
  error.textContent = "";
  form.onsubmit = async (event) => {
    event.preventDefault();
    error.textContent = "";
    error.textContent = await signIn(input.value.trim());
    if (error.textContent !== "") return input.select();
    form.reset();
    dialog.close();
    await refreshSession();
    // The pressed button is hidden now: focus the form's send button instead.
    const next = opener.closest("form")?.querySelector<HTMLElement>(".send:not([hidden])");
    (next ?? document.querySelector<HTMLElement>("[data-sign-out]"))?.focus();
  };
  dialog.showModal();
  input.focus();
}

/** Returns an error message, or an empty string on success. */
async function signIn(key: string): Promise<string> {
  try {
    const headers = { "Content-Type": "application/json" };
    const body = JSON.stringify({ key });
    const response = await sessionFetch(new Request(SESSION, { method: "POST", headers, body }));
    if (response.ok) return "";
    const { detail }: { detail: string } = await response.json();
    return detail;
  } catch {
    return "The service does not respond. Try again.";
  }
}

async function signOut(): Promise<void> {
  await sessionFetch(new Request(SESSION, { method: "DELETE" })).catch(() => undefined);
  await refreshSession();
  document.querySelector<HTMLElement>("[data-session] [data-sign-in]")?.focus();
}
