import { describe, expect, test } from "bun:test";
import { resolvePath, splitUrn } from "../../src/scim/attribute-path.ts";
import { groupKind, urns, userKind } from "../../src/scim/attributes.ts";

describe("a text is split into URN and rest", () => {
  test.each<[text: string, urn: string | undefined, rest: string]>([
    ["userName", undefined, "userName"],
    ["urn", undefined, "urn"],
    ["urnal.value", undefined, "urnal.value"],
    [urns.user, urns.user, ""],
    [`${urns.user}:userName`, urns.user, "userName"],
    [`${urns.user.toUpperCase()}:NAME.givenName`, urns.user, "NAME.givenName"],
    [`${urns.enterpriseUser}:manager.value`, urns.enterpriseUser, "manager.value"],
    [urns.enterpriseUser.toLowerCase(), urns.enterpriseUser, ""],
    [`${urns.rosterUser}:costCode`, urns.rosterUser, "costCode"],
    [`${urns.user}:emails[type eq "a:b"].value`, urns.user, 'emails[type eq "a:b"].value'],
    ["urn:example:2.0:User:tag", "urn:example:2.0:User", "tag"],
    ["urn:example:2.0:User:list[a eq 1].b", "urn:example:2.0:User", "list[a eq 1].b"],
    ["urn:example:2.0:User", "urn:example:2.0:User", ""],
    ["urn:example:2.0:GROUP", "urn:example:2.0:GROUP", ""],
    ["urn:okta:custom:group:1.0", "urn:okta:custom:group:1.0", ""],
    ["urn:okta:custom:group:1.0:owner", "urn:okta:custom:group:1.0", "owner"],
    [`${urns.enterpriseUser}s:tag`, `${urns.enterpriseUser}s`, "tag"],
    [`${urns.user}:tags:tag`, `${urns.user}:tags`, "tag"],
    [`${urns.enterpriseUser}:2:tag[a eq "b:c"]`, `${urns.enterpriseUser}:2`, 'tag[a eq "b:c"]'],
    ["urn:", "urn:", ""],
    ["urn::", "urn::", ""],
  ])("%s", (text, urn, rest) => {
    expect(splitUrn(userKind, text)).toEqual({ urn, rest });
  });
});

describe("a path names an attribute", () => {
  test.each<[urn: string | undefined, names: string[], found: unknown]>([
    [undefined, ["USERNAME"], { urn: undefined, names: ["userName"] }],
    [undefined, ["Name", "GIVENNAME"], { urn: undefined, names: ["name", "givenName"] }],
    [undefined, ["externalid"], { urn: undefined, names: ["externalId"] }],
    [undefined, ["meta", "LastModified"], { urn: undefined, names: ["meta", "lastModified"] }],
    [undefined, ["members"], { urn: undefined, names: ["members"] }],
    [urns.user, ["title"], { urn: undefined, names: ["title"] }],
    [urns.enterpriseUser.toUpperCase(), ["DEPARTMENT"], { urn: urns.enterpriseUser, names: ["department"] }],
    [urns.enterpriseUser, ["unknown"], { urn: urns.enterpriseUser, names: ["unknown"] }],
    [undefined, ["Manager", "VALUE"], { urn: urns.enterpriseUser, names: ["manager", "value"] }],
    [urns.rosterUser, ["Title"], { urn: urns.rosterUser, names: ["Title"] }],
    ["urn:x:User", ["Tag", "a"], { urn: "urn:x:User", names: ["Tag", "a"] }],
    [urns.enterpriseUser, [], { urn: urns.enterpriseUser, names: [] }],
  ])("%s %p", (urn, names, found) => {
    const { attribute: _, sub: __, ...path } = resolvePath(userKind, urn, names);
    expect(path).toEqual(found as typeof path);
  });

  test("with its facts", () => {
    expect(resolvePath(userKind, undefined, ["emails", "VALUE"])).toMatchObject({
      attribute: { name: "emails", multiValued: true },
      sub: { name: "value", type: "string" },
    });
    expect(resolvePath(userKind, undefined, ["emails", "unknown"])).not.toHaveProperty("sub");
    expect(resolvePath(userKind, undefined, ["constructor"])).not.toHaveProperty("attribute");
    expect(resolvePath(groupKind, undefined, ["userName"])).not.toHaveProperty("attribute");
  });
});
