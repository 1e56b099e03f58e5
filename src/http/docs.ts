import { describeApi } from "../contract/openapi.ts";
import { mediaTypes } from "../contract/operation.ts";
import { operations } from "../contract/operations.ts";
import { ProblemError } from "../domain/problem-error.ts";
import { parseStoredSchema, toDescribedFields } from "../domain/schema/parse-schema.ts";
import type { StoredSchema } from "../domain/schema/schema-store.ts";
import type { Schemas } from "../domain/schema/schemas.ts";
import { bundleAssets } from "../pages/assets.ts";
import { renderProblem, renderProblemIndex } from "../pages/problem.ts";
import { renderReference } from "../pages/reference.ts";
import { constantJson, constantPage } from "./compression/constant.ts";
import { lazy } from "./lazy.ts";
import type { Handler, RequestContext } from "./request-context.ts";
import type { Router } from "./router.ts";

const html = `${mediaTypes.html}; charset=utf-8`;

/** Registers the OpenAPI description, the reference page and the pages of problems. */
export function serveDocs(
  router: Router,
  version: string,
  schemas: Pick<Schemas, "current">,
  mayReadUsers: (context: RequestContext) => Promise<boolean>,
): void {
  const description = lazy(() => constantJson(JSON.stringify(describeApi(version))));
  /** The description with the custom fields of the last schema that was requested. */
  let described: { readonly version: number; readonly serve: Handler } | undefined;
  const describeFields = ({ version: schemaVersion, json }: StoredSchema): Handler => {
    if (json === "{}") return description();
    if (described?.version !== schemaVersion) {
      const fields = toDescribedFields(parseStoredSchema(json));
      const text = JSON.stringify(describeApi(version, fields));
      described = { version: schemaVersion, serve: constantJson(text) };
    }
    return described.serve;
  };
  const reference = lazy(async () => constantPage(html, await renderReference(version)));
  const problemIndex = lazy(() => constantPage(html, renderProblemIndex()));
  const problemPages = new Map<string, Handler>();
  const assets = lazy(async () => {
    const files = await bundleAssets();
    return new Map(files.map(({ path, type, text }) => [path, constantPage(type, text)]));
  });

  router.serve(operations.openapi, async (context) =>
    (await mayReadUsers(context)) ? describeFields(await schemas.current())(context) : description()(context),
  );
  router.serve(operations.docs, async (context) => (await reference())(context));
  router.serve(operations.problemIndex, (context) => problemIndex()(context));
  router.serve(operations.problem, (context, { type }) => {
    const page = problemPages.get(type) ?? constantPage(html, renderProblem(type));
    problemPages.set(type, page);
    return page(context);
  });

  router.servePage("/docs/{file}", async (context) => {
    const asset = (await assets()).get(`/docs/${context.parameters.file}`);
    if (!asset) throw new ProblemError("not-found");
    return asset(context);
  });
}
