/** For what no simulated caller needs. */
export function notSimulated(what: string): () => never {
  return () => {
    throw new Error(`The simulation does not have ${what}.`);
  };
}
