export const deliveryFilter = {
  label: "State",
  all: "All deliveries",
  empty: "No delivery is in this state.",
};

export const sendNow = {
  waiting: "Send now",
  finished: "Send again",
  done: "The event is sent now",
};

export const deliveryDetails = {
  request: "Request",
  notSent: "Nothing has been sent yet.",
  notKept: "The event is no longer kept, so the request can't be shown.",
  exact: "As it was sent, without traceparent.",
  changed:
    "Something has changed since the attempt, so the request differs from what was sent, and has no signature. The user may be purged, or the URL, the secret or the service may have changed.",
  headers: "Headers",
  name: "Name",
  value: "Value",
  body: "Body",
  response: "Response",
  status: (status: number) => `Status ${status}`,
  earlier: (time: string) => `Of the attempt at ${time}.`,
  noResponse: "There was no response.",
  noBody: "The response had no body.",
  cut: "Only the first 4 KiB are stored.",
  notStored: {
    off: "The service stores no responses. To see them, start it with ROSTER_WEBHOOK_STORE_RESPONSES=on.",
    other:
      "No response is stored. Responses from private addresses and compressed ones never are, nor those from before the setting was on. A purge of the user erases them.",
  },
};

export const successRate = {
  title: "Success rate",
  period: "Period",
  periods: { day: "Last 24 hours", week: "Last 7 days", month: "Last 30 days" },
  hint: "Attempts that the receiver accepted, and attempts that failed. Retries count. Days are in UTC.",
  rate: (percent: string, attempts: string) => `${percent} of ${attempts} attempts accepted`,
  none: "No attempts in this period",
  accepted: "Accepted",
  failed: "Failed",
};
