/** The value of every password in requests. The service neither stores, logs nor shows it. */
export const PLANTED_SECRET = "Planted-Passw0rd-q7";

const STAND_IN = "x".repeat(PLANTED_SECRET.length);

/** The text without passwords, in the same length: a change of some bytes can put a password where any text may be. */
export const withoutPlanted = (text: string) => text.replaceAll(PLANTED_SECRET, STAND_IN);
