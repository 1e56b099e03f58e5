/** In front of every path of SCIM. */
export const SCIM_PREFIX = "/scim/v2";

/** The limits of SCIM. Where it has none of its own, those of the API apply. */
export const scimLimits = {
  /** Resources of a page, by default and at most. */
  pageSize: { default: 100, maximum: 1000 },
  /** Operations of one PATCH. */
  patchOperations: 1000,
  /** Members that one PATCH of a group adds and removes. */
  memberChanges: 10_000,
  /** Bytes of a body of a group. */
  groupBytes: 8 * 1024 ** 2,
  /** Operations and bytes of one bulk request. */
  bulkOperations: 1000,
  bulkBytes: 1024 ** 2,
  /** Groups that a user shows. */
  groupsOfUser: 1000,
} as const;

/** The schemas of messages: what SCIM sends and accepts beside resources (RFC 7644). */
export const messageUrns = {
  error: "urn:ietf:params:scim:api:messages:2.0:Error",
  list: "urn:ietf:params:scim:api:messages:2.0:ListResponse",
  search: "urn:ietf:params:scim:api:messages:2.0:SearchRequest",
  patch: "urn:ietf:params:scim:api:messages:2.0:PatchOp",
  bulkRequest: "urn:ietf:params:scim:api:messages:2.0:BulkRequest",
  bulkResponse: "urn:ietf:params:scim:api:messages:2.0:BulkResponse",
} as const;
