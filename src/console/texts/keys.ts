export const keys = {
  title: "Keys",
  count: (active: string) => `${active} active`,
  newKey: "New key",
  list: "Keys",
  find: "Search by name or key prefix",
  clearFind: "Clear",
  showInactive: (count: string) => `Show expired and revoked (${count})`,
  more: "Show more",
  loadingMore: "Loading more…",
  environment: "You are signed in with ROSTER_API_KEY. It is set on the server and not listed here.",
  you: "You",
  youHint: "You are signed in with this key",
  new: "New",
  created: "· created",
  lastUsed: "Last used",
  expires: "Expires",
  rate: "Rate limit",
  usage: "This month",
  never: "Never",
  serviceRate: "Default",
  rateOf: (requests: string, seconds: string) => `${requests} per ${seconds} s`,
  used: (requests: string) => (requests === "1" ? "1 request" : `${requests} requests`),
  usedOf: (requests: string, quota: string) => `${requests} of ${quota}`,
  meter: (used: string) => `${used} requests this month`,
  states: {
    active: "Active",
    expiring: "Expires soon",
    expired: "Expired",
    revoked: "Revoked",
  },
  replace: "Replace",
  replaceOf: (name: string) => `Replace ${name}`,
  revoke: "Revoke",
  revokeOf: (name: string) => `Revoke ${name}`,
  scopesTitle: "Scopes",
  empty: {
    title: "No keys yet",
    text: "Programs sign in with a key. Each key has scopes, and can have its own rate limit and monthly quota.",
    open: "Until the first key exists, this service accepts every request from its own machine. After that, every request needs a key.",
  },
  nothing: {
    title: "No active keys",
    text: "All keys are expired or revoked. Create a new key, or show the old ones.",
  },
  notFound: {
    title: "No matching keys",
    text: "Try another part of the name, or the first characters of the key.",
  },
  onServer: "On the machine that runs Roster:",
};

export const newKey = {
  title: "New key",
  name: "Name",
  nameHint: "Say what the key is for, so you recognize it later.",
  scopes: "Scopes",
  lacking: "You can't grant this scope: your own key doesn't have it.",
  expiry: "Expires",
  expiries: {
    never: "Never",
    30: "In 30 days",
    90: "In 90 days",
    365: "In 1 year",
    day: "On a date…",
  },
  day: "Last day",
  dayHint: "The key works until the end of this day.",
  noDay: "Choose a date.",
  rate: "Rate limit",
  requests: "Requests",
  requestsPer: "requests per",
  seconds: "Seconds",
  secondsEnd: "seconds",
  rateHint: "Leave empty to use the service's default.",
  quota: "Monthly quota",
  quotaHint: "Requests per month. Leave empty for no limit.",
  noNumber: "Enter a whole number.",
  submit: "Create key",
  first: {
    title: "This is the first key",
    text: "After this, every request needs a key, and so does this console: sign in with the new key.",
    unmanaged:
      "Without “Manage keys”, you can't create more keys here. You would need roster keys on the machine that runs Roster.",
  },
};

export const ownKey = {
  label: "Your key",
  hint: "Creating a key takes more than being signed in: enter the key that you signed in with.",
  placeholder: "roster_…",
  lead: "Being signed in is not enough to create a key.",
  stepHint:
    "Enter the key that you signed in with, or another one with the scope keys:manage. The new key can get its scopes.",
  submit: "Continue",
  cannotManage: "This key can't create keys: it lacks the scope keys:manage.",
  missing: "Enter your key.",
  invalid: "This is not a valid key. Copy the whole key.",
};

export const secret = {
  title: (name: string) => `Key for ${name}`,
  lead: "Copy this key now. You won't see it again.",
  copy: "Copy key",
  saved: "I've saved it",
  signIn: "I've saved it, sign in with it",
  firstKey: "The service now requires a key, and so does this console.",
  replaced: "You are signed in with the key that this one replaces.",
  ask: {
    title: "Did you save the key?",
    text: "You won't see it again. Without it, you have to create another key.",
    action: "Close anyway",
    stay: "Show the key",
  },
};

export const replaceKey = {
  title: (name: string) => `Replace ${name}`,
  lead: "Creates a new key with the same name, scopes and limits. Both keys work until the old one expires, so your programs have time to switch.",
  grace: "Old key expires",
  graces: {
    0: "Immediately",
    3600: "In 1 hour",
    86400: "In 1 day",
    604800: "In 7 days",
  },
  immediately: "Requests with the old key are rejected from now on.",
  current: "You are signed in with this key. Your session ends when the old key expires.",
  submit: "Replace key",
};

export const revokeKey = {
  title: (name: string) => `Revoke ${name}?`,
  text: "Requests with this key are rejected within a second. You can't undo this. The key stays in the list.",
  lastUsed: (ago: string) => `Last used ${ago}.`,
  unused: "Never used.",
  current: "You are signed in with this key and will be signed out.",
  last: "No other key can manage keys. After this, you need roster keys on the machine that runs Roster to create one.",
  action: "Revoke",
  done: (name: string) => `${name} revoked`,
};

export const usageHistory = {
  open: "Usage",
  title: (name: string) => `Usage of ${name}`,
  total: (requests: string) => (requests === "1" ? "1 request" : `${requests} requests`),
  lastDays: (requests: string) => `${requests} requests in the last 30 days`,
  caption: "Requests per day, UTC",
  requests: "Requests",
};
