import { Observable } from "../lib/observable.ts";

/** What the navigation says about an import: nothing while there is none. */
export const importStatus = new Observable<string | undefined>(undefined);
