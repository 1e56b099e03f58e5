/** The script of the pages. All text is readable without it. */
import { enhanceCode } from "./code.ts";
import { findAll } from "./dom.ts";
import { enhanceSamples } from "./samples.ts";
import { enhanceSession } from "./session.ts";
import { enhanceSidebar } from "./sidebar.ts";
import { loadTheme, showTheme } from "./theme.ts";
import { enhanceForm } from "./try-it.ts";

showTheme(loadTheme());
enhanceCode();
findAll("[data-samples]", HTMLElement).forEach(enhanceSamples);
enhanceSidebar();
findAll("[data-try]", HTMLElement).forEach(enhanceForm);
enhanceSession();
