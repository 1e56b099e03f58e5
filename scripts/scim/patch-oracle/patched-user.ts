import type { JsonObject } from "../../../src/contract/json.ts";
import { ProblemError } from "../../../src/domain/problem-error.ts";
import { userKind } from "../../../src/scim/attributes.ts";
import { normalizeDocument } from "../../../src/scim/normalize.ts";
import { ScimError } from "../../../src/scim/scim-error.ts";
import { userDocument, userRecord } from "../../../src/scim/user-document.ts";
import { patchOf, type ScimCaller } from "../../../test/api/scim/support/scim-caller.ts";
import { applyPatch, parsePatch } from "../../../test/scim/support/patch.ts";
import { locate, stored } from "../../../test/scim/support/stored.ts";
import type { Outcome } from "./explain.ts";

/** A user of Roster, and how SCIM shows it. */
export interface PatchedUser {
  readonly document: JsonObject;
  /** Sends one PATCH. */
  patch(operations: readonly JsonObject[]): Promise<Outcome>;
  remove(): Promise<void>;
}

/** A user that the functions of `src/scim` change, without a service. */
export class ComputedUser implements PatchedUser {
  #record: JsonObject;

  constructor(body: JsonObject) {
    this.#record = stored(userRecord(normalizeDocument(userKind, body), undefined).record);
  }

  get document(): JsonObject {
    return userDocument(this.#record, locate);
  }

  async patch(operations: readonly JsonObject[]): Promise<Outcome> {
    const { document } = this;
    try {
      const next = applyPatch(userKind, document, parsePatch(userKind, { Operations: operations }));
      if (next !== document) this.#record = stored(userRecord(next, this.#record).record);
      return { document: this.document };
    } catch (error) {
      if (error instanceof ScimError) return { refused: error.scimType };
      if (error instanceof ProblemError) return { refused: error.type };
      throw error;
    }
  }

  async remove(): Promise<void> {}
}

/** A user of a service. */
export class ServedUser implements PatchedUser {
  readonly #scim: ScimCaller;
  readonly #path: string;
  document: JsonObject;

  private constructor(scim: ScimCaller, document: JsonObject) {
    this.#scim = scim;
    this.#path = `/Users/${document.id}`;
    this.document = document;
  }

  static async create(scim: ScimCaller, body: JsonObject): Promise<ServedUser> {
    const { body: created } = await scim.expect("POST /Users", body);
    return new ServedUser(scim, created);
  }

  /** Fails if the answer is not the user that a GET shows then, or if a patch that is refused changes the user. */
  async patch(operations: readonly JsonObject[]): Promise<Outcome> {
    const { status, body } = await this.#scim.send(`PATCH ${this.#path}`, patchOf(...operations));
    const { body: shown } = await this.#scim.expect(`GET ${this.#path}`);
    const isRefused = status === 400;
    if (status !== 200 && !isRefused) throw new Error(`The PATCH gets ${status}: ${JSON.stringify(body)}`);
    if (!Bun.deepEquals(shown, isRefused ? this.document : body)) {
      throw new Error(`After the PATCH, which gets ${status}, a GET shows ${JSON.stringify(shown)}`);
    }
    this.document = shown;
    return isRefused ? { refused: String(body.scimType) } : { document: shown };
  }

  async remove(): Promise<void> {
    await this.#scim.expect(`DELETE ${this.#path}`);
  }
}
