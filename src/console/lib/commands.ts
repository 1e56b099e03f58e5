import { useEffect, useRef } from "react";
import type { Icon } from "../ui/icons.ts";

/** Something that a person can do, as an entry of the palette. */
export interface Command {
  /** Unique. The first command with an id is shown. */
  readonly id: string;
  readonly label: string;
  /** What else there is to know, such as the shortcut. */
  readonly hint?: string | undefined;
  readonly icon: Icon;
  readonly run: (navigate: (path: string) => void) => void;
}

/** Where commands belong, from the innermost place outwards. */
export const places = [
  "user",
  "selection",
  "users",
  "group",
  "groups",
  "webhook",
  "webhooks",
  "keys",
  "provisioning",
] as const;
type Place = (typeof places)[number] | "everywhere";

interface Registration {
  readonly place: Place;
  readonly list: () => readonly Command[];
}

/** The palette reads them when it opens. */
const registrations = new Set<Registration>();

/** Offers commands of a place in the palette, as long as the component is shown. */
export function useCommands(place: Place, commands: readonly Command[]): void {
  const latest = useRef(commands);
  useEffect(() => {
    latest.current = commands;
  });
  useEffect(() => {
    const registration: Registration = { place, list: () => latest.current };
    registrations.add(registration);
    return () => void registrations.delete(registration);
  }, [place]);
}

/** The commands of a place now. */
export function commandsOf(place: Place): readonly Command[] {
  return [...registrations].flatMap((each) => (each.place === place ? each.list() : []));
}
