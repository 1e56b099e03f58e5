/** What SCIM says about an attribute (RFC 7643, section 7), and which field of a record has its value. */
export interface Attribute {
  readonly name: string;
  readonly type: "string" | "boolean" | "dateTime" | "reference" | "complex";
  readonly description: string;
  readonly multiValued?: true;
  readonly required?: true;
  readonly caseExact?: true;
  readonly mutability?: "readOnly" | "writeOnly";
  readonly returned?: "always" | "request" | "never";
  readonly uniqueness?: "server";
  readonly canonicalValues?: readonly string[];
  readonly referenceTypes?: readonly string[];
  /** Of a complex attribute. */
  readonly subAttributes?: readonly Attribute[];
  /** The field of the record that has the value as SCIM sends it. Without a field, code of its own maps the attribute. */
  readonly field?: string;
}

/** A schema of SCIM: a name, and attributes. */
export interface AttributeSchema {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly attributes: readonly Attribute[];
}

export const urns = {
  user: "urn:ietf:params:scim:schemas:core:2.0:User",
  group: "urn:ietf:params:scim:schemas:core:2.0:Group",
  enterpriseUser: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User",
  /** The custom fields of a user that have no attribute of their own. */
  rosterUser: "urn:ietf:params:scim:schemas:extension:roster:2.0:User",
  rosterGroup: "urn:ietf:params:scim:schemas:extension:roster:2.0:Group",
} as const;

type Facts = Partial<Omit<Attribute, "name" | "type" | "description">>;

const text = (name: string, description: string, facts: Facts = {}): Attribute => ({
  name,
  type: "string",
  description,
  ...facts,
});

/** An attribute whose text is a field of the same name. */
const textField = (name: string, description: string, facts: Facts = {}): Attribute =>
  text(name, description, { field: name, ...facts });

const time = (name: string, description: string, facts: Facts = {}): Attribute => ({
  name,
  type: "dateTime",
  description,
  ...facts,
});

const flag = (name: string, description: string, facts: Facts = {}): Attribute => ({
  name,
  type: "boolean",
  description,
  ...facts,
});

const reference = (
  name: string,
  description: string,
  referenceTypes: readonly string[],
  facts: Facts = {},
): Attribute => ({ name, type: "reference", description, referenceTypes, ...facts });

const complex = (
  name: string,
  description: string,
  subAttributes: readonly Attribute[],
  facts: Facts = {},
): Attribute => ({ name, type: "complex", description, subAttributes, ...facts });

const readOnly = { mutability: "readOnly" } as const;

/** The sub-attributes of most lists: a value, a label, a type, and which entry is the main one. */
const entryOf = (what: string, value: Attribute, types?: readonly string[]): readonly Attribute[] => [
  value,
  text("display", `A label of the ${what} for people.`),
  text("type", `What the ${what} is for.`, types && { canonicalValues: types }),
  flag("primary", `Whether this is the main ${what}. At most one entry is.`),
];

/** A list whose entries are stored as they are sent, in the field of the same name. */
const listField = (name: string, description: string, subAttributes: readonly Attribute[]): Attribute =>
  complex(name, description, subAttributes, { multiValued: true, field: name });

const nameParts: readonly Attribute[] = [
  text("formatted", "The whole name, as it is shown.", { field: "formattedName" }),
  textField("familyName", "The family name."),
  textField("givenName", "The given name."),
  textField("middleName", "The middle names."),
  textField("honorificPrefix", "What stands before the name, such as Dr."),
  textField("honorificSuffix", "What follows the name, such as III."),
];

const addressParts: readonly Attribute[] = [
  text("formatted", "The whole address, as it is shown. It may have line breaks."),
  text("streetAddress", "Street and house number. It may have line breaks."),
  text("locality", "The city or place."),
  text("region", "The state or region."),
  text("postalCode", "The postal code."),
  text("country", "The country, as a code of two letters (ISO 3166-1)."),
  text("type", "What the address is for.", { canonicalValues: ["work", "home", "other"] }),
  flag("primary", "Whether this is the main address. At most one entry is."),
];

/** Every attribute of users. Reading, writing, filters, `/Schemas`, the docs and `users import --from scim` use this table. */
export const userSchema: AttributeSchema = {
  id: urns.user,
  name: "User",
  description: "A user of the directory.",
  attributes: [
    text("userName", "The name that identifies the user. No two users have the same, ignoring case.", {
      required: true,
      uniqueness: "server",
    }),
    complex("name", "The parts of the user's name.", nameParts),
    text("displayName", "The name of the user, as it is shown."),
    textField("nickName", "What the user is called in everyday life."),
    reference("profileUrl", "The address of a page about the user.", ["external"], {
      caseExact: true,
      field: "profileUrl",
    }),
    textField("title", "The job title."),
    textField("userType", "How the user belongs to the organization, such as Employee or Contractor."),
    textField("preferredLanguage", "The languages that the user prefers, as in the header Accept-Language."),
    textField("locale", "The language and country by which times, numbers and currencies are formatted."),
    textField("timezone", "The time zone, such as Europe/Oslo."),
    flag("active", "Whether the user may use the systems of the organization.", { required: true }),
    complex(
      "emails",
      "Email addresses.",
      entryOf("email address", text("value", "The address."), ["work", "home", "other"]),
      { multiValued: true },
    ),
    listField(
      "phoneNumbers",
      "Phone numbers.",
      entryOf("phone number", text("value", "The number."), [
        "work",
        "home",
        "mobile",
        "fax",
        "pager",
        "other",
      ]),
    ),
    listField(
      "ims",
      "Addresses for instant messages.",
      entryOf("address", text("value", "The address."), [
        "aim",
        "gtalk",
        "icq",
        "xmpp",
        "msn",
        "skype",
        "qq",
        "yahoo",
      ]),
    ),
    listField(
      "photos",
      "Addresses of photos.",
      entryOf("photo", reference("value", "The address of the photo.", ["external"], { caseExact: true }), [
        "photo",
        "thumbnail",
      ]),
    ),
    listField("addresses", "Postal addresses.", addressParts),
    complex(
      "groups",
      "The groups that the user is a member of. Change them at the groups.",
      [
        text("value", "The id of the group.", { ...readOnly, caseExact: true }),
        reference("$ref", "The URL of the group.", ["Group"], { ...readOnly, caseExact: true }),
        text("display", "The name of the group.", readOnly),
        text("type", "How the user belongs to the group: always direct.", {
          ...readOnly,
          canonicalValues: ["direct"],
        }),
      ],
      { ...readOnly, multiValued: true, returned: "request" },
    ),
    listField(
      "entitlements",
      "What the user is entitled to.",
      entryOf("entitlement", text("value", "The entitlement.")),
    ),
    listField("roles", "The roles of the user.", entryOf("role", text("value", "The role."))),
  ],
};

export const enterpriseSchema: AttributeSchema = {
  id: urns.enterpriseUser,
  name: "EnterpriseUser",
  description: "What organizations know about their members.",
  attributes: [
    textField("employeeNumber", "The number that the organization has given the user."),
    textField("costCenter", "The cost center."),
    textField("organization", "The organization."),
    textField("division", "The division."),
    textField("department", "The department."),
    complex(
      "manager",
      "The user's manager.",
      [
        text("value", "The id of the manager's user.", { caseExact: true }),
        reference("$ref", "The URL of the manager's user.", ["User"], { caseExact: true }),
        text("displayName", "The name of the manager.", readOnly),
      ],
      { field: "manager" },
    ),
  ],
};

export const groupSchema: AttributeSchema = {
  id: urns.group,
  name: "Group",
  description: "A group of users.",
  attributes: [
    text("displayName", "The name of the group. No two groups have the same, ignoring case.", {
      required: true,
      uniqueness: "server",
      field: "name",
    }),
    complex(
      "members",
      "The users in the group.",
      [
        text("value", "The id of the user.", { caseExact: true }),
        reference("$ref", "The URL of the user.", ["User"], { caseExact: true }),
        text("type", "Always User: groups have no groups.", { canonicalValues: ["User"] }),
        text("display", "The name of the user. It is accepted and not stored.", {
          ...readOnly,
          returned: "never",
        }),
      ],
      { multiValued: true },
    ),
  ],
};

/** The attributes that every resource has (RFC 7643, section 3.1). They are in no schema. */
export const commonAttributes: readonly Attribute[] = [
  text("id", "The id of the resource.", { ...readOnly, caseExact: true, returned: "always" }),
  text("externalId", "The id that the provisioning client has for the resource.", {
    caseExact: true,
    field: "externalId",
  }),
  complex(
    "meta",
    "When and how the resource changed.",
    [
      text("resourceType", "The type of the resource.", { ...readOnly, caseExact: true }),
      time("created", "When the resource was created.", readOnly),
      time("lastModified", "When the resource changed last.", readOnly),
      reference("location", "The URL of the resource.", ["uri"], { ...readOnly, caseExact: true }),
      text("version", "The version of the resource, as in the header ETag.", {
        ...readOnly,
        caseExact: true,
      }),
    ],
    readOnly,
  ),
];

/** Attributes that clients may send and that are never stored, shown or described. */
export const secretAttributes: ReadonlySet<string> = new Set(["password", "x509certificates"]);

/** The schemas of one kind of resource. */
export interface ResourceKind {
  readonly name: "User" | "Group";
  readonly endpoint: "/Users" | "/Groups";
  readonly core: AttributeSchema;
  /** Whose attributes are fields of the record, as those of the core schema. */
  readonly extensions: readonly AttributeSchema[];
  /** The extension that has all other custom fields. Its attributes have the names of the fields, in the same case. */
  readonly customUrn: string;
  /** The URNs of all these extensions. */
  readonly extensionUrns: readonly string[];
}

export const userKind: ResourceKind = {
  name: "User",
  endpoint: "/Users",
  core: userSchema,
  extensions: [enterpriseSchema],
  customUrn: urns.rosterUser,
  extensionUrns: [enterpriseSchema.id, urns.rosterUser],
};

export const groupKind: ResourceKind = {
  name: "Group",
  endpoint: "/Groups",
  core: groupSchema,
  extensions: [],
  customUrn: urns.rosterGroup,
  extensionUrns: [urns.rosterGroup],
};
