import type { Html } from "./html.ts";
import type { Sample } from "./samples.ts";

/** A rule that holds for every operation. The introduction explains each in a section. */
export interface Convention {
  readonly id: string;
  readonly title: string;
  readonly text: Html;
  readonly samples: readonly Sample[];
  /** Shown below the samples. */
  readonly below?: Html;
}
