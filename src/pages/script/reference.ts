/** What the pages do in a browser. Everything that can be read is there without it. */
import { dressCode } from "./code.ts";
import { every } from "./dom.ts";
import { dressSamples } from "./samples.ts";
import { dressSession } from "./session.ts";
import { dressSidebar } from "./sidebar.ts";
import { dressForm } from "./try-it.ts";

dressCode();
every("[data-samples]", HTMLElement).forEach(dressSamples);
dressSidebar();
every("[data-try]", HTMLElement).forEach(dressForm);
dressSession();
