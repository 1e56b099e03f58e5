/** The paths of the console's views. The service serves the console's page at each of them. */
export const viewPaths = {
  overview: "/",
  users: "/users",
  user: "/users/{id}",
  groups: "/groups",
  group: "/groups/{id}",
  groupFields: "/groups/{id}/fields",
  groupHistory: "/groups/{id}/history",
  activity: "/activity",
  deletedUsers: "/deleted",
  import: "/import",
  schema: "/schema",
  keys: "/keys",
  webhooks: "/webhooks",
  webhook: "/webhooks/{id}",
  provisioning: "/provisioning",
  connect: "/connect",
} as const;
