import { type Attribute, commonAttributes, type ResourceKind } from "./attributes.ts";

/** An attribute of SCIM, and which fields of a record have its value. */
export interface MappingRow {
  /** The extension that has the attribute. */
  readonly urn?: string;
  /** The names of the attribute and its sub-attribute. Empty for a whole extension. */
  readonly names: readonly string[];
  readonly record: readonly string[] | "memberships" | "the same names";
  readonly note: string;
}

type OwnRow = Pick<MappingRow, "record" | "note">;

/** What the attributes become that code of their own maps. */
const ownRows: Readonly<Record<ResourceKind["name"], Readonly<Record<string, OwnRow>>>> = {
  User: {
    userName: { record: ["userName"], note: "" },
    displayName: {
      record: ["name"],
      note: "else the formatted name, else given and family name, else the user name",
    },
    active: { record: ["active"], note: "" },
    emails: {
      record: ["email", "emails"],
      note: "email is the primary one, else the first of type work, else the first",
    },
    groups: { record: "memberships", note: "only shown: change them at the groups" },
  },
  Group: { members: { record: "memberships", note: "" } },
};

/** What every attribute of the table becomes. */
export function mappingRows(kind: ResourceKind): MappingRow[] {
  const { core, extensions, customUrn } = kind;
  return [
    ...core.attributes.flatMap((attribute) => rowsOf(kind, attribute)),
    ...commonAttributes
      .filter(({ field }) => field !== undefined)
      .flatMap((attribute) => rowsOf(kind, attribute)),
    ...extensions.flatMap(({ id, attributes }) =>
      attributes.flatMap((attribute) => rowsOf(kind, attribute).map((row) => ({ urn: id, ...row }))),
    ),
    { urn: customUrn, names: [], record: "the same names", note: "all other custom fields" },
  ];
}

function rowsOf(kind: ResourceKind, attribute: Attribute): MappingRow[] {
  const { name, field, subAttributes = [] } = attribute;
  if (field !== undefined) return [{ names: [name], record: [field], note: describeValue(attribute) }];
  const own = ownRows[kind.name][name];
  if (own) return [{ names: [name], ...own }];
  const rows = subAttributes.flatMap((sub) => rowsOf(kind, sub));
  return rows.map((row) => ({ ...row, names: [name, ...row.names] }));
}

function describeValue({ multiValued, subAttributes }: Attribute): string {
  const names = subAttributes?.filter(({ mutability }) => mutability !== "readOnly").map(({ name }) => name);
  if (!names) return "";
  return `${multiValued ? "a list of objects" : "an object"} with ${names.join(", ")}`;
}
