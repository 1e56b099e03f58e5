import type { Commands } from "../command.ts";
import { commandGroup } from "../command-group.ts";

const commands: Commands = {
  list: {
    usage: "roster webhooks list [options]",
    about: "List all webhooks with their types and state.",
    load: async () => (await import("./webhooks/list.ts")).list,
  },
  create: {
    usage: "roster webhooks create ENDPOINT --type TYPES [options]",
    about: "Create a webhook and print it with its secret.",
    load: async () => (await import("./webhooks/create.ts")).create,
  },
  update: {
    usage: "roster webhooks update ID [options]",
    about: "Change, pause or resume a webhook.",
    load: async () => (await import("./webhooks/update.ts")).update,
  },
  rotate: {
    usage: "roster webhooks rotate ID [options]",
    about: "Create a new secret for a webhook, and print it.",
    load: async () => (await import("./webhooks/rotate.ts")).rotate,
  },
  listen: {
    usage: "roster webhooks listen --forward ENDPOINT [options]",
    about: "Send events to a program on this machine, signed like deliveries.",
    load: async () => (await import("./webhooks/listen.ts")).listen,
  },
  test: {
    usage: "roster webhooks test ID [options]",
    about: "Send a sample to a webhook, and print what its receiver answered.",
    load: async () => (await import("./webhooks/test.ts")).test,
  },
  deliveries: {
    usage: "roster webhooks deliveries ID [options]",
    about: "List what was sent to a webhook.",
    load: async () => (await import("./webhooks/deliveries.ts")).deliveries,
  },
  delivery: {
    usage: "roster webhooks delivery ID DELIVERY [options]",
    about: "Print one delivery with its last request.",
    load: async () => (await import("./webhooks/delivery.ts")).delivery,
  },
  attempts: {
    usage: "roster webhooks attempts ID [options]",
    about: "Count the attempts of a webhook by hour.",
    load: async () => (await import("./webhooks/attempts.ts")).attempts,
  },
  resend: {
    usage: "roster webhooks resend ID DELIVERY [options]",
    about: "Send an event to a webhook now, or again.",
    load: async () => (await import("./webhooks/resend.ts")).resend,
  },
  replay: {
    usage: "roster webhooks replay ID --from TIME [options]",
    about: "Send the events of a time range to a webhook again.",
    load: async () => (await import("./webhooks/replay.ts")).replay,
  },
  delete: {
    usage: "roster webhooks delete ID [options]",
    about: "Delete a webhook.",
    load: async () => (await import("./webhooks/delete.ts")).remove,
  },
};

export const webhooks = commandGroup("webhooks", {
  section: "Work with users",
  about: "Send events to other programs.",
  commands,
  description: `These commands call a service, with a key that has the scope webhooks:manage. To create or change a webhook, or to see
its deliveries, the key also needs events:read.`,
  examples: [
    "roster webhooks create https://hooks.example.com/roster --type 'user.*'",
    "roster webhooks list",
    "roster webhooks update 3 --active=false",
  ],
});
