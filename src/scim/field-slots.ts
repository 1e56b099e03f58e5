import { isObject, type Json, type JsonObject } from "../contract/json.ts";
import { isReservedName } from "../contract/users/field-name.ts";
import { type Attribute, commonAttributes, type ResourceKind } from "./attributes.ts";
import { cleanValue } from "./clean-value.ts";
import { fitValue } from "./fit-value.ts";
import { Misfit } from "./misfit.ts";
import { isSameJson } from "./same-json.ts";
import { ScimError } from "./scim-error.ts";

/** A field of the record, and the attribute that shows it. */
interface FieldSlot {
  readonly field: string;
  readonly attribute: Attribute;
  /** The complex attribute or the extension that has the attribute. Undefined at the top of the document. */
  readonly parent: string | undefined;
}

/**
 * How the fields of records and the attributes of documents belong together. A field whose value does not fit its attribute is
 * shown among the custom fields.
 */
export class FieldSlots {
  readonly #slots: readonly FieldSlot[];
  readonly #byField: ReadonlyMap<string, FieldSlot>;
  readonly #customUrn: string;
  /** Fields that Roster defines: no document has them as custom fields. */
  readonly #defined: ReadonlySet<string>;
  readonly #mapped: ReadonlySet<string>;

  /** Besides the fields of the table, code of the caller maps the `defined` ones, and `others`, which can have values that do not fit. */
  constructor(kind: ResourceKind, defined: readonly string[], others: readonly string[] = []) {
    this.#slots = slotsOf(kind);
    this.#byField = new Map(this.#slots.map((slot) => [slot.field, slot]));
    this.#customUrn = kind.customUrn;
    this.#defined = new Set(defined);
    this.#mapped = new Set([...defined, ...others, ...this.#byField.keys()]);
  }

  /** Adds what the fields of the record say to a document. `misfits` are values that custom fields show besides those found here. */
  show(record: JsonObject, document: JsonObject, misfits?: JsonObject): void {
    let custom = misfits;
    for (const { field, attribute, parent } of this.#slots) {
      const value = record[field];
      if (value === undefined) continue;
      const fitted = fitValue(attribute, value, "record");
      if (fitted === undefined) continue;
      if (fitted instanceof Misfit) {
        custom ??= {};
        custom[field] = value;
      } else if (parent === undefined) {
        document[attribute.name] = fitted;
      } else {
        const members = document[parent];
        if (isObject(members)) members[attribute.name] = fitted;
        else document[parent] = { [attribute.name]: fitted };
      }
    }
    for (const field in record) {
      if (this.#mapped.has(field)) continue;
      custom ??= {};
      custom[field] = record[field] ?? null;
    }
    const cleaned = custom && cleanValue(custom);
    if (cleaned !== undefined) document[this.#customUrn] = cleaned;
  }

  /** What a document says about a field. A field that the document shows as an attribute cannot be a custom field too. */
  read(document: JsonObject, field: string): Json | undefined {
    const slot = this.#byField.get(field);
    return (slot && readSlot(document, slot)) ?? readMember(document[this.#customUrn], field);
  }

  /**
   * The fields that a document asks for. What it shows as before stays as the record before has it. Fails with `invalidValue`.
   */
  change({ document, before = {}, shown }: DocumentChange): JsonObject {
    const fields: JsonObject = {};
    for (const field in before) {
      if (this.#defined.has(field)) continue;
      const next = this.read(document, field);
      const value = isSameJson(next, this.read(shown, field)) ? before[field] : next;
      if (value !== undefined) fields[field] = value;
    }
    for (const slot of this.#slots) {
      const value = Object.hasOwn(before, slot.field) ? undefined : readSlot(document, slot);
      if (value !== undefined) fields[slot.field] = value;
    }
    this.#addCustom(document[this.#customUrn], before, fields);
    return fields;
  }

  #addCustom(custom: Json | undefined, before: JsonObject, fields: JsonObject): void {
    if (!isObject(custom)) return;
    for (const field of Object.keys(custom)) {
      if (this.#defined.has(field)) {
        throw new ScimError("invalidValue", `${field} is not a custom field.`);
      }
      if (isReservedName(field) || Object.hasOwn(before, field) || Object.hasOwn(fields, field)) continue;
      fields[field] = custom[field] ?? null;
    }
  }
}

function readSlot(document: JsonObject, { attribute, parent }: FieldSlot): Json | undefined {
  return readMember(parent === undefined ? document : document[parent], attribute.name);
}

function readMember(holder: Json | undefined, name: string): Json | undefined {
  return isObject(holder) && Object.hasOwn(holder, name) ? holder[name] : undefined;
}

/** A document, the record that it was made of, and the document that this record has. */
export interface DocumentChange {
  readonly document: JsonObject;
  readonly before: JsonObject | undefined;
  readonly shown: JsonObject;
}

export function slotsOf({ core, extensions }: ResourceKind): FieldSlot[] {
  return [
    ...commonAttributes.flatMap((attribute) => slotsOfAttribute(attribute, undefined)),
    ...core.attributes.flatMap((attribute) => slotsOfAttribute(attribute, undefined)),
    ...extensions.flatMap(({ id, attributes }) =>
      attributes.flatMap((attribute) => slotsOfAttribute(attribute, id)),
    ),
  ];
}

function slotsOfAttribute(attribute: Attribute, parent: string | undefined): FieldSlot[] {
  const { field, name, subAttributes = [] } = attribute;
  if (field !== undefined) return [{ field, attribute, parent }];
  return subAttributes.flatMap((sub) =>
    sub.field === undefined ? [] : [{ field: sub.field, attribute: sub, parent: name }],
  );
}
