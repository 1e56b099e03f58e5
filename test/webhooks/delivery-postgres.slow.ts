import { startPostgresBeforeTests } from "../support/postgres/fresh-database.ts";
import { deliverySuite } from "./support/delivery-suite.ts";

startPostgresBeforeTests();
deliverySuite("postgres");
