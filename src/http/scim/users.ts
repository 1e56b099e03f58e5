import { SCIM_PREFIX } from "../../contract/scim/scim.ts";
import { scimUserOperations } from "../../contract/scim/scim-operations.ts";
import { runInTurns } from "../../domain/scheduling/steps.ts";
import { userKind } from "../../scim/attributes.ts";
import { normalizeDocument } from "../../scim/normalize.ts";
import { applyPatch } from "../../scim/patch/apply-patch.ts";
import { parsePatch } from "../../scim/patch/parse-patch.ts";
import { replaceDocument } from "../../scim/replace.ts";
import { userDocument, userRecord } from "../../scim/user-document.ts";
import { parseJson } from "../body-reader.ts";
import { originOf } from "../request-context.ts";
import { createUserWriter } from "./document-writer.ts";
import { respondWithResource } from "./resource-response.ts";
import { parseRecord, type ScimResources } from "./resources.ts";
import { giveWay, type ScimParts, turnOf } from "./scim-parts.ts";

/** URLs in documents that are only computed with, and not sent. */
const locateInService = (path: string) => SCIM_PREFIX + path;

/** Users as resources of SCIM. */
export function scimUsers(parts: ScimParts): ScimResources {
  const { users, bodyReader } = parts;
  return {
    kind: userKind,
    operations: scimUserOperations,
    parseId: Number,
    formatId: String,
    maxBytes: bodyReader.maxBytes,

    async readBody(context) {
      const bytes = await bodyReader.read(context);
      return { json: parseJson(bytes, scimUserOperations.create.request.invalid) };
    },

    read: (id, precondition) => users.read(id, precondition),

    async create(context, { json }) {
      await giveWay(context, parts);
      const document = normalizeDocument(userKind, json);
      await giveWay(context, parts);
      return users.createWithFallback(originOf(context), userRecord(document, undefined));
    },

    async replace(context, { id, precondition }, { json }) {
      await giveWay(context, parts);
      const sent = normalizeDocument(userKind, json);
      await giveWay(context, parts);
      return users.transform(originOf(context), id, precondition, async (user) => {
        const before = parseRecord(user);
        const current = userDocument(before, locateInService);
        await giveWay(context, parts);
        return userRecord(replaceDocument(userKind, current, sent), before, current);
      });
    },

    async update(context, { id, precondition }, { json }) {
      const turn = turnOf(context, parts);
      const operations = await runInTurns(parsePatch(userKind, json), turn);
      return users.transform(originOf(context), id, precondition, async (user) => {
        const before = parseRecord(user);
        const current = userDocument(before, locateInService);
        const next = await runInTurns(applyPatch(userKind, current, operations), turn);
        await giveWay(context, parts);
        return next === current ? undefined : userRecord(next, before, current);
      });
    },

    remove: (context, { id, precondition }) => users.remove(originOf(context), id, precondition, false),

    show(context, { view, ...shown }) {
      const written = createUserWriter(context, parts, view).write(parseRecord(shown.record));
      return respondWithResource(context, parts, written, shown);
    },

    showsAfterUpdate: () => true,
  };
}
