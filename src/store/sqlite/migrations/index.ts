import { defineMigration, type Migration } from "../../migration.ts";
import initial from "./0001_initial.sql" with { type: "text" };
import lastBackup from "./0002_last_backup.sql" with { type: "text" };
import limits from "./0003_limits.sql" with { type: "text" };
import newEvents from "./0004_new_events.sql" with { type: "text" };
import deliveryDetails from "./0005_delivery_details.sql" with { type: "text" };
import userNames from "./0006_user_names.sql" with { type: "text" };
import groups from "./0007_groups.sql" with { type: "text" };
import memberships from "./0008_memberships.sql" with { type: "text" };
import memberEvents from "./0009_member_events.sql" with { type: "text" };

/** Every migration, in order. Each is final once it has landed: see CONTRIBUTING.md. */
export const migrations: readonly Migration[] = [
  defineMigration("0001_initial", initial),
  defineMigration("0002_last_backup", lastBackup),
  defineMigration("0003_limits", limits),
  defineMigration("0004_new_events", newEvents),
  defineMigration("0005_delivery_details", deliveryDetails),
  defineMigration("0006_user_names", userNames),
  defineMigration("0007_groups", groups),
  defineMigration("0008_memberships", memberships),
  defineMigration("0009_member_events", memberEvents),
];
