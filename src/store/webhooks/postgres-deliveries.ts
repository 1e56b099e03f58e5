import { DeliveryTables } from "./delivery-tables.ts";

export const postgresDeliveries = new DeliveryTables({
  schema: "roster.",
  elements: "json_array_elements(?::text::json)",
  now: "(extract(epoch FROM clock_timestamp()) * 1000)::bigint",
  lockRows: "FOR UPDATE",
  hasRoundTrips: true,
});
