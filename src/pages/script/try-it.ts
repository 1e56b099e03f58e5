import { highlight } from "./code.ts";
import { element, findAll } from "./dom.ts";
import { refreshSession } from "./session.ts";
import { sessionFetch } from "./session-fetch.ts";

/** Longer response bodies are cut: they would make the page slow. */
const SHOWN_CHARACTERS = 50_000;

/** Lets a form send its request and show the response. */
export function enhanceForm(details: HTMLElement): void {
  const form = details.querySelector("form");
  const outcome = details.querySelector(".outcome");
  const confirm = details.querySelector<HTMLElement>(".confirm");
  const send = details.querySelector<HTMLElement>(".send");
  if (!form || !outcome || !confirm || !send) return;
  details.hidden = false;
  const showConfirmation = (shown: boolean): void => {
    confirm.hidden = !shown;
    send.hidden = shown;
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const confirmed = event.submitter instanceof HTMLButtonElement && event.submitter.value === "confirmed";
    if (form.dataset.method === "DELETE" && !confirmed) {
      showConfirmation(true);
      confirm.querySelector<HTMLElement>(".cancel")?.focus();
      return;
    }
    showConfirmation(false);
    void sendForm(form, outcome);
  });
  form.querySelector(".cancel")?.addEventListener("click", () => {
    showConfirmation(false);
    send.focus();
  });
  for (const choice of findAll("select[data-fills]", HTMLSelectElement, form)) {
    choice.addEventListener("change", () => {
      const editor = document.getElementById(choice.dataset.fills ?? "");
      if (editor instanceof HTMLTextAreaElement) editor.value = choice.value;
    });
  }
}

function buildRequest(form: HTMLFormElement): Request {
  const { method = "GET", path = "/", type } = form.dataset;
  const headers = new Headers(type ? { "Content-Type": type } : {});
  const query = new URLSearchParams();
  let url = path;
  const inputs = [...findAll("input", HTMLInputElement, form), ...findAll("select", HTMLSelectElement, form)];
  for (const { name, value, dataset } of inputs) {
    if (!value || !dataset.place) continue;
    if (dataset.place === "path") url = url.replace(`{${name}}`, encodeURIComponent(value));
    else if (dataset.place === "header") headers.set(name, value);
    else if (dataset.explode === undefined) query.set(name, value);
    else for (const [field, text] of new URLSearchParams(value)) query.append(field, text);
  }
  const key = form.querySelector<HTMLInputElement>("[data-key-again] input");
  if (key?.value) headers.set("Authorization", `Bearer ${key.value.trim()}`);
  const body = form.querySelector<HTMLTextAreaElement>("[data-body]")?.value ?? null;
  return new Request(url + (query.size > 0 ? `?${query}` : ""), {
    method,
    headers,
    body,
    cache: "no-store",
  });
}

async function sendForm(form: HTMLFormElement, outcome: Element): Promise<void> {
  outcome.replaceChildren(element("p", {}, "Sending…"));
  try {
    const request = buildRequest(form);
    const start = performance.now();
    const response = await sessionFetch(request);
    const text = await response.text();
    const milliseconds = Math.max(1, Math.round(performance.now() - start));
    outcome.replaceChildren(...renderResponse(request, response, text, milliseconds));
    for (const key of findAll("[data-key-again] input", HTMLInputElement, form)) key.value = "";
    outcome.scrollIntoView({ block: "nearest" });
    if (response.status === 401 || form.dataset.path === "/api/session") await refreshSession();
  } catch (error) {
    outcome.replaceChildren(element("p", { class: "failure" }, `No response: ${error}`));
  }
}

function renderResponse(request: Request, response: Response, text: string, milliseconds: number): Node[] {
  const { pathname, search } = new URL(request.url);
  const headers = [...response.headers].map(([name, value]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, value)),
  );
  const status = element(
    "p",
    { class: "outcome-line" },
    element(
      "span",
      { class: response.status < 400 ? "status" : "status failed" },
      `${response.status} ${response.statusText}`.trim(),
    ),
    ` ${milliseconds} ms`,
  );
  const list = element(
    "details",
    {},
    element("summary", {}, `${headers.length} headers`),
    element("dl", {}, ...headers),
  );
  const requestLine = element("p", { class: "sent" }, `${request.method} ${pathname}${search}`);
  const { shown, problem } = readBody(response, text);
  const attributes = { tabindex: "0", role: "region", "aria-label": "Response body" };
  const body = element("pre", attributes, element("code", {}, ...shown));
  const problemLink = problem && element("p", {}, element("a", { href: problem }, "About this problem"));
  return [status, requestLine, ...(problemLink ? [problemLink] : []), list, body];
}

/** The text to show, and the path of the problem's page if the body is a problem. */
function readBody(response: Response, text: string): { shown: (Node | string)[]; problem?: string } {
  if (text === "") return { shown: ["No body."] };
  const more = text.length - SHOWN_CHARACTERS;
  if (more > 0) return { shown: [text.slice(0, SHOWN_CHARACTERS), `\n… and ${more} more characters`] };
  if (!/\bjson\b/.test(response.headers.get("Content-Type") ?? "")) return { shown: [text] };
  const value: unknown = JSON.parse(text);
  const shown = highlight(JSON.stringify(value, null, 2));
  const hasType = typeof value === "object" && value !== null && "type" in value;
  const type = hasType && typeof value.type === "string" ? value.type : "";
  return type.startsWith("/problems/") ? { shown, problem: type } : { shown };
}
