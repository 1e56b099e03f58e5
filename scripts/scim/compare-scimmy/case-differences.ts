/** Cases that differ for the same reason. */
interface CaseDifference {
  readonly because: string;
  /** What each server answers, by the name of the case. */
  readonly answers: Readonly<Record<string, readonly [roster: string, scimmy: string]>>;
}

export const caseDifferences: readonly CaseDifference[] = [
  {
    because:
      "Roster takes what Entra, Okta and others send: one value instead of a list, texts instead of objects and booleans.",
    answers: {
      "POST with a text as boolean": ["201", "400 invalidValue"],
      "POST with an object as list": ["201", "400 invalidValue"],
      "POST with texts in a list of objects": ["201", "400 invalidValue"],
      "POST with texts as roles": ["201", "400 invalidValue"],
      'replace active with "False"': ["200", "400 invalidValue"],
    },
  },
  {
    because:
      "`schemas` in a request may be missing, or hold anything: OneLogin and Entra send URNs of their own.",
    answers: {
      "POST with an unknown URN in schemas": [
        'schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"]',
        'schemas: ["urn:ietf:params:scim:schemas:core:2.0:User","urn:x:User"]',
      ],
      "POST with schemas of another type": ["201", "400 invalidSyntax"],
      ".search without schemas": ["200", "400 invalidSyntax"],
      "a patch without schemas": ["200", "400 invalidSyntax"],
    },
  },
  {
    because: "A user name is not empty (RFC 7643, 4.1.1).",
    answers: {
      "POST with an empty userName": ["400 invalidValue", "201"],
      'replace userName with ""': ["400 invalidValue", "200"],
    },
  },
  {
    because: "At most one entry is primary (RFC 7643, 2.4; RFC 7644, 3.5.2).",
    answers: {
      "POST with two primary emails": ["400 invalidValue", "201"],
      'add emails with [{"value":"eve@other.example","type":"other","primary":true}]': [
        'emails: [{"primary":false,"type":"work","value":"eve@work.example"},{"type":"home","value":"eve@home.example"},{"primary":true,"type":"other","value":"eve@other.example"}]',
        'emails: [{"primary":true,"type":"work","value":"eve@work.example"},{"type":"home","value":"eve@home.example"},{"primary":true,"type":"other","value":"eve@other.example"}]',
      ],
      'replace emails[type eq "home"].primary with true': [
        'emails: [{"primary":false,"type":"work","value":"eve@work.example"},{"primary":true,"type":"home","value":"eve@home.example"}]',
        'emails: [{"primary":true,"type":"work","value":"eve@work.example"},{"primary":true,"type":"home","value":"eve@home.example"}]',
      ],
    },
  },
  {
    because: "A list has each type and value once (RFC 7643, 2.4).",
    answers: {
      "POST with the same email twice": [
        'emails: [{"type":"work","value":"a@x.example"}]',
        'emails: [{"type":"work","value":"a@x.example"},{"type":"work","value":"a@x.example"}]',
      ],
      'add roles with [{"value":"admin"}]': [
        'roles: [{"value":"admin"}]',
        'roles: [{"value":"admin"},{"value":"admin"}]',
      ],
      "the group with the member": [
        'members: [{"$ref":"/scim/v2/Users/ada","type":"User","value":"ada"}]',
        'members: [{"value":"ada"},{"value":"ada"}]',
      ],
    },
  },
  {
    because: "Canonical types are suggestions (RFC 7643, 7), and URLs are kept as they come.",
    answers: {
      "POST with a type that is not canonical": ["201", "400 invalidValue"],
      "POST with a profileUrl that is none": ["201", "400 invalidValue"],
    },
  },
  {
    because: "`schemas` names the extensions that have a value.",
    answers: {
      "POST with an empty extension": [
        'schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"]',
        'schemas: ["urn:ietf:params:scim:schemas:core:2.0:User","urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"]',
      ],
      "PUT with an empty extension": [
        'schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"]',
        'schemas: ["urn:ietf:params:scim:schemas:core:2.0:User","urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"]',
      ],
    },
  },
  {
    because: "Extensions of others are kept whole.",
    answers: {
      "POST with an unknown extension": [
        'schemas: ["urn:ietf:params:scim:schemas:core:2.0:User","urn:x:2.0:User"], urn:x:2.0:User: {"a":1}',
        'schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"], urn:x:2.0:User: none',
      ],
    },
  },
  {
    because:
      "A body that is not JSON, or has not the structure of its schema, is invalidSyntax (RFC 7644, 3.12).",
    answers: {
      "POST as a text": ["400 invalidSyntax", "400"],
      "POST as no JSON": ["400 invalidSyntax", "400"],
      "POST without a body": ["400 invalidSyntax", "400 invalidValue"],
      "an operation that is a text": ["400 invalidSyntax", "400 invalidValue"],
      "a patch without operations": ["400 invalidSyntax", "400 invalidValue"],
    },
  },
  {
    because: "Members are users that exist: groups are flat.",
    answers: {
      "POST of a group with an unknown member": ["400 invalidValue", "201"],
      "POST of a group with a group as member": ["400 invalidValue", "201"],
    },
  },
  {
    because: "`/Me` is not implemented: a key is a program.",
    answers: {
      "GET /Me": ["501", "404"],
    },
  },
  {
    because:
      "`attributes` names parts and extensions, and may name what nobody knows. scimmy refuses that for users with an extension.",
    answers: {
      "GET attributes of a sub-attribute of a list": ["200", "400 invalidValue"],
      "GET attributes of an extension": ["200", "400 invalidValue"],
      "GET attributes that nobody knows": ["200", "400 invalidValue"],
    },
  },
  {
    because: "A parameter that is not valid is refused. scimmy ignores it.",
    answers: {
      "list count=abc": ["400 invalidValue", "200"],
      "list count=1.5": ["400 invalidValue", "200"],
      "list count=": ["400 invalidValue", "200"],
      "list startIndex=abc": ["400 invalidValue", "200"],
      "list sortBy that nobody knows": ["400 invalidValue", "200"],
      "list sortOrder that is none": ["400 invalidValue", "200"],
    },
  },
  {
    because: "A page beyond the end is empty. scimmy answers with the first one.",
    answers: {
      "list startIndex beyond the end": ["Resources: ", "Resources: ada bob Cem dan"],
    },
  },
  {
    because:
      "Missing values are last in both orders, as in the API. RFC 7644, 3.4.2.3, has them first in descending order.",
    answers: {
      "list sortBy=title descending": ["Resources: bob ada Cem dan", "Resources: dan bob ada Cem"],
    },
  },
  {
    because: "Text matches in any case, unless the schema says caseExact (RFC 7644, 3.4.2.2).",
    answers: {
      'filter userName eq "ADA"': ["Resources: ada", "Resources: "],
      'add emails[type eq "HOME"].display with "Home"': ["200", "400 noTarget"],
    },
  },
  {
    because:
      "scimmy does not compare texts by `gt`, and finds nothing with URNs and the wrong users with `and not`.",
    answers: {
      'filter title gt "b"': ["Resources: ada bob", "Resources: "],
      'filter urn:ietf:params:scim:schemas:core:2.0:User:userName eq "ada"': [
        "Resources: ada",
        "Resources: ",
      ],
      'filter urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department eq "Engines"': [
        "Resources: ada",
        "Resources: ",
      ],
      'filter (title eq "Engineer" or userName eq "dan") and not (active eq false)': [
        "Resources: ada dan",
        "Resources: ada bob dan",
      ],
    },
  },
  {
    because: "A filter finds those that have the part. scimmy refuses it if one resource has none.",
    answers: {
      'filter name.familyName eq "Lovelace"': ["200", "400 invalidValue"],
      'filter emails eq "ada@work.example"': ["200", "400 invalidValue"],
      'filter emails.value eq "ada@work.example"': ["200", "400 invalidValue"],
      'filter emails[type eq "work"]': ["200", "400 invalidValue"],
      'filter emails[type eq "work" and value co "@work.example"]': ["200", "400 invalidValue"],
      'filter emails[type eq "work"].value eq "ada@work.example"': ["200", "400 invalidValue"],
      "groups by member": ["200", "400 invalidValue"],
    },
  },
  {
    because: "A comparison of booleans by order, or without a value, is invalidFilter (RFC 7644, 3.4.2.2).",
    answers: {
      "filter active gt true": ["400 invalidFilter", "200"],
      "filter userName eq": ["400 invalidFilter", "200"],
    },
  },
  {
    because: "`count` 0 only counts (RFC 7644, 3.4.2.4).",
    answers: {
      ".search with count 0": ["200", "400 invalidValue"],
    },
  },
  {
    because:
      "A PATCH of a user answers with the user, also if nothing changes (RFC 7644, 3.5.2, allows both).",
    answers: {
      'add title with "T"': ["200", "204"],
      'replace password with "t1meMa$heen"': ["200", "204"],
      "remove nickName": ["200", "204"],
      'remove emails[type eq "other"]': ["200", "204"],
      'remove roles with {"value":"nobody"}': ["200", "204"],
    },
  },
  {
    because: "A PATCH without operations changes nothing.",
    answers: {
      "no operations": ["200", "400 invalidValue"],
    },
  },
  {
    because:
      "A path has names in any case, with the URN of their schema, or the URN of an extension alone (RFC 7644, 3.10).",
    answers: {
      'add TITLE with "U"': ["200", "400 invalidPath"],
      'add urn:ietf:params:scim:schemas:core:2.0:User:title with "U"': ["200", "400 invalidPath"],
      "remove urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": ["200", "400 invalidValue"],
    },
  },
  {
    because: "`add` creates the entry that a filter describes; `replace` does so for a usual type.",
    answers: {
      'add emails[type eq "other"].value with "eve@other.example"': ["200", "400 noTarget"],
      'replace emails[type eq "other"].value with "new@x.example"': ["200", "400 noTarget"],
    },
  },
  {
    because: "`replace` keeps the parts of a complex attribute that it does not name (RFC 7644, 3.5.2.3).",
    answers: {
      'replace name with {"givenName":"E"}': [
        'name: {"familyName":"King","givenName":"E"}',
        'name: {"givenName":"E"}',
      ],
    },
  },
  {
    because: "An entry that replaces those that a filter finds still meets the filter.",
    answers: {
      'replace emails[type eq "work"] with {"value":"new@x.example"}': [
        'emails: [{"type":"work","value":"new@x.example"},{"type":"home","value":"eve@home.example"}]',
        'emails: [{"type":"home","value":"eve@home.example"},{"value":"new@x.example"}]',
      ],
    },
  },
  {
    because: "A path can name a part of all entries. scimmy refuses it.",
    answers: {
      'replace roles.display with "R"': ["200", "400 invalidValue"],
      "remove roles.value": ["200", "400 invalidValue"],
    },
  },
  {
    because:
      "A change of what is read-only, and the removal of what is required, are refused with mutability (RFC 7644, 3.5.2).",
    answers: {
      'replace meta.created with "2001-01-01T00:00:00Z"': ["400 mutability", "204"],
      'replace groups with [{"value":"{Staff}"}]': ["400 mutability", "204"],
      "remove userName": ["400 mutability", "400 invalidValue"],
      "remove active": ["400 mutability", "200"],
      "removal of the name": ["400 mutability", "400 invalidValue"],
    },
  },
  {
    because: "A filter of what is no list is invalidPath.",
    answers: {
      'replace title[type eq "x"] with "x"': ["400 invalidPath", "200"],
    },
  },
  {
    because: "Without a path, what is read-only and what nobody knows is ignored: Okta sends the id.",
    answers: {
      "replace of id without a path": ["200", "400 mutability"],
      "replace of what nobody knows without a path": ["200", "400 invalidPath"],
    },
  },
  {
    because: "`replace` has a value.",
    answers: {
      "replace without a value": ["400 invalidValue", "200"],
    },
  },
  {
    because: "The members of a patch match in any case.",
    answers: {
      "a patch with other names": ["200", "400 invalidValue"],
    },
  },
  {
    because: "`attributes` works with PATCH (RFC 7644, 3.9). scimmy fails.",
    answers: {
      "attributes in the answer to a patch": ["200", "500"],
    },
  },
  {
    because: "A PATCH of a group answers 204: a group can have a million members.",
    answers: {
      "add of a member": ["204", "200"],
      "add of the same member": ["204", "200"],
      "remove of a member by filter": ["204", "200"],
    },
  },
  {
    because: "A known path with another method is 405.",
    answers: {
      "DELETE of all": ["405", "404"],
      "POST of the configuration": ["405", "404"],
    },
  },
];
