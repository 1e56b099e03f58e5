import { Window } from "happy-dom";
import { startService, type TestService } from "../../../support/service.ts";
import { loadConsoleScript } from "./console-script.ts";
import { type DomLocator, documentOf } from "./locator.ts";
import { createTimers } from "./timers.ts";
import { createXmlHttpRequest } from "./xml-http-request.ts";

/** The size of the window, and of each element: nothing is laid out. */
const SIZE = { width: 1280, height: 800 };

export interface MountedConsole extends AsyncDisposable {
  readonly page: DomLocator;
  readonly window: Window;
  readonly service: TestService;
  /** Console errors and warnings, failed requests and error responses, in the words of Chromium. */
  readonly errors: string[];
  /** Opens a view as its link does, without loading the page again. */
  open(path: string): void;
}

interface MountOptions {
  /** The view to open. */
  readonly path?: string;
  /** A running service, which is not stopped afterwards. Default: a new service. */
  readonly service?: TestService;
}

/**
 * Starts the service and the whole console in a DOM without a browser: at a tenth of the cost, and without layout, styles, and
 * what only browsers do, such as moving the focus with Tab.
 */
export async function mountConsole({
  path = "/users",
  service: running,
}: MountOptions = {}): Promise<MountedConsole> {
  const service = running ?? (await startService());
  const errors: string[] = [];
  const closing = new AbortController();
  const timers = createTimers();
  const window = new Window({
    ...SIZE,
    url: service.url + path,
    console: reportTo(errors),
    settings: { device: { prefersReducedMotion: "reduce" } },
  });
  prepare(window);
  const send = browserFetch(service.url, errors, closing.signal);
  Object.assign(window, timers.methods, {
    fetch: send,
    // As on localhost.
    isSecureContext: true,
    XMLHttpRequest: createXmlHttpRequest(send),
    reportError: (error: unknown) => errors.push(String(error)),
  });
  const start = await loadConsoleScript(window);
  start(window);
  return {
    page: documentOf(window),
    window,
    service,
    errors,
    open: (view) => window.history.pushState(null, "", view),
    async [Symbol.asyncDispose]() {
      timers.end();
      closing.abort();
      if (!running) await service.stop();
    },
  };
}

function prepare(window: Window): void {
  window.document.body.innerHTML = '<div id="root"></div>';
  Object.defineProperty(window.navigator, "connection", { value: { saveData: true } });
  // The table renders only rows that are in view.
  for (const [name, value] of [
    ["offsetWidth", SIZE.width],
    ["offsetHeight", SIZE.height],
    ["clientWidth", SIZE.width],
    ["clientHeight", SIZE.height],
  ] as const) {
    Object.defineProperty(window.HTMLElement.prototype, name, { get: () => value });
  }
}

/** Sends requests as a browser does from the service's own pages: with its cookies, until the window is closed. */
function browserFetch(origin: string, errors: string[], closing: AbortSignal) {
  const cookies = new Map<string, string>();
  return async (input: string | Request, init?: RequestInit): Promise<Response> => {
    const asked = new Request(input, init);
    const headers = new Headers(asked.headers);
    headers.set("sec-fetch-site", "same-origin");
    if (asked.method !== "GET") headers.set("origin", origin);
    if (cookies.size > 0) headers.set("cookie", [...cookies].map((pair) => pair.join("=")).join("; "));
    const signal = AbortSignal.any([asked.signal, closing]);
    const response = await fetch(asked, { headers, signal }).catch((error: unknown) => {
      // A closed window does nothing any more.
      if (closing.aborted) return new Promise<never>(() => {});
      if (!asked.signal.aborted) errors.push(`failed: ${asked.url}`);
      throw error;
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = "", ...attributes] = cookie.split("; ");
      const [name = "", ...value] = pair.split("=");
      if (attributes.includes("Max-Age=0")) cookies.delete(name);
      else cookies.set(name, value.join("="));
    }
    if (response.status >= 400) {
      errors.push(
        `Failed to load resource: the server responded with a status of ${response.status} (${response.statusText})`,
      );
    }
    return response;
  };
}

/** A console that keeps errors and warnings. */
function reportTo(errors: string[]): Console {
  const keep = (...words: unknown[]) => errors.push(words.map(String).join(" "));
  return Object.assign(Object.create(console), { error: keep, warn: keep });
}
