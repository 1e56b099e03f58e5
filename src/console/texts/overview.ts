export const charts = {
  table: "Show as table",
  date: "Date",
};

export const periods = {
  label: "Period",
  of: (days: string) =>
    ({ "7": "Last 7 days", "30": "Last 30 days", "90": "Last 90 days" })[days] ?? "Last 12 months",
};

export const overview = {
  title: "Overview",
  welcome: "Welcome to Roster",
  users: "Users",
  created: "Created",
  deleted: "Deleted",
  active: "Active",
  inactive: "Inactive",
  inactiveHint: "Users whose field active is false",
  grown: (count: string) => `${count} more than before`,
  shrunk: (count: string) => `${count} fewer than before`,
  unchanged: "No change",
  restoredToo: (count: string) => `and ${count} restored`,
  perDay: (average: string) => `${average} per day`,
  totalTitle: "Users over time",
  totalSummary: (first: string, last: string) => `The number of users went from ${first} to ${last}.`,
  changesTitle: "Created and deleted users",
  changesSummary: (created: string, deleted: string) => `${created} users created and ${deleted} deleted.`,
  newest: "Newest users",
  newestAll: "All users",
  noEmail: "No email",
  activity: "Recent activity",
  activityAll: "All activity",
  noActivity: "No events yet.",
  requests: "API requests by key",
  requestsAll: "All keys",
  requestsSummary: (name: string, count: string) => `${name}: ${count} requests`,
  requestsHint: "The five keys that are used most this month",
  noKeys: "No key is in use. Requests without a key are not counted.",
  noRequests: "No key has been used this month.",
  health: "Health",
  healthStates: {
    checking: "Checking…",
    working: "The service and its database work",
    failing: "The service isn't ready",
    away: "The service can't be reached",
  },
  responseTime: (ms: string) => `Last check answered in ${ms} ms`,
};
