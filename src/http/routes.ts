import type { Hono } from "hono";
import type { Operation } from "../contract/operation.ts";
import { Refusal } from "../domain/refusal.ts";
import { accepts } from "./conditions.ts";
import { type Exchange, emptyAnswer, type HttpContext } from "./exchange.ts";
import { HttpRefusal } from "./problem.ts";

type Handler = (c: HttpContext) => Response | Promise<Response>;

/** Registers operations at the paths and methods that the contract gives them. */
export class Routes {
  readonly #methods = new Map<string, Set<string>>();
  readonly #advice = new Map<string, Record<string, string>>();

  constructor(readonly app: Hono<{ Bindings: Exchange }>) {}

  serve({ method, path, answers }: Operation, handler: Handler): void {
    const type = Object.values(answers).find(({ body }) => body)?.body?.type;
    this.#add(method, path, (c) => {
      if (type !== undefined && !accepts(c.req.raw.headers.get("accept"), type)) {
        throw new Refusal("not-acceptable", `This can be had as ${type} only.`);
      }
      return handler(c);
    });
  }

  /** A file that a page needs: no operation of the contract. */
  serveAsset(path: string, handler: Handler): void {
    this.#add("GET", path, handler);
  }

  /** Headers that OPTIONS on this path answers beside Allow. */
  advise(path: string, headers: Record<string, string>): void {
    this.#advice.set(path, headers);
  }

  /** Once every operation is registered: OPTIONS for each path, 405 and 404 for what is left. */
  finish(): void {
    for (const [path, methods] of this.#methods) {
      const allow = allowed(methods);
      this.app.options(honoPath(path), (c) => {
        c.env.route = path;
        return emptyAnswer(c.env, 204, { allow, ...this.#advice.get(path) });
      });
    }
    // Not as routes that match everything: Hono takes its short way only where a single handler matches.
    this.app.notFound((c) => {
      const known = [...this.#methods].find(([path]) => matches(path, c.req.path));
      if (!known) throw new Refusal("not-found");
      const [path, methods] = known;
      const allow = allowed(methods);
      c.env.route = path;
      throw new HttpRefusal("method-not-allowed", `This address takes ${allow}, not ${c.req.method}.`, {
        allow,
      });
    });
  }

  #add(method: string, path: string, handler: Handler): void {
    const methods = this.#methods.get(path) ?? new Set();
    this.#methods.set(path, methods.add(method));
    this.app.on(method, honoPath(path), (c) => {
      c.env.route = path;
      return handler(c);
    });
  }
}

function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1");
}

function matches(path: string, requested: string): boolean {
  return new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(requested);
}

function allowed(methods: ReadonlySet<string>): string {
  return [...methods, ...(methods.has("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
}
