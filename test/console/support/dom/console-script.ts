import { join } from "node:path";
import type { Window } from "happy-dom";
import { root } from "../../../support/paths.ts";

/** Starts the console in a window. */
type Start = (window: Window) => void;

/** What the console takes from the window although Bun has it too. */
const ofTheWindow = new Set([
  "addEventListener",
  "clearInterval",
  "clearTimeout",
  "console",
  "CustomEvent",
  "dispatchEvent",
  "Event",
  "EventTarget",
  "fetch",
  "globalThis",
  "location",
  "MessageEvent",
  "navigator",
  "postMessage",
  "removeEventListener",
  "reportError",
  "self",
  "setInterval",
  "setTimeout",
  "window",
]);

let starting: Promise<Start> | undefined;

/**
 * Builds the console as one function, once per process. The properties of the window are its parameters: its `document` is the
 * window's, and the globals of the process stay as they are. Everything else, such as `Request`, is Bun's.
 */
export function loadConsoleScript(window: Window): Promise<Start> {
  starting ??= build(window);
  return starting;
}

async function build(window: Window): Promise<Start> {
  const { outputs } = await Bun.build({
    entrypoints: [join(root, "src/console/main.tsx")],
    target: "browser",
    format: "iife",
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const script = outputs.find(({ kind }) => kind === "entry-point");
  if (!script) throw new Error("The build of the console has no script.");
  const names = propertiesOf(window).filter((name) => ofTheWindow.has(name) || !(name in globalThis));
  const run = new Function(...names, await script.text());
  return (each) => run(...names.map((name) => propertyOf(each, name)));
}

/** The names of all properties, also inherited ones, that can be parameters. */
function propertiesOf(window: Window): string[] {
  const names = new Set<string>();
  for (let object: unknown = window; object instanceof Object; object = Object.getPrototypeOf(object)) {
    for (const name of Object.getOwnPropertyNames(object)) names.add(name);
  }
  return [...names].filter((name) => /^[A-Za-z]\w*$/.test(name) && name !== "constructor");
}

function propertyOf(window: Window, name: string): unknown {
  const value: unknown = Reflect.get(window, name);
  // Methods, not constructors.
  return typeof value === "function" && /^[a-z]/.test(name) ? value.bind(window) : value;
}
