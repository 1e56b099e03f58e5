import { deliverySuite } from "./support/delivery-suite.ts";

deliverySuite("sqlite");
