/** What the pages do in a browser. Everything that can be read is there without it. */
import { enhanceCode } from "./code.ts";
import { findAll } from "./dom.ts";
import { enhanceSamples } from "./samples.ts";
import { enhanceSession } from "./session.ts";
import { enhanceSidebar } from "./sidebar.ts";
import { enhanceForm } from "./try-it.ts";

enhanceCode();
findAll("[data-samples]", HTMLElement).forEach(enhanceSamples);
enhanceSidebar();
findAll("[data-try]", HTMLElement).forEach(enhanceForm);
enhanceSession();
