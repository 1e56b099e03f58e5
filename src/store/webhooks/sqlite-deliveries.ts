import { DeliveryTables } from "./delivery-tables.ts";

export const sqliteDeliveries = new DeliveryTables({
  schema: "",
  elements: "json_each(?)",
  now: "CAST(unixepoch('now', 'subsec') * 1000 AS INTEGER)",
  lockRows: "",
  hasRoundTrips: false,
});
