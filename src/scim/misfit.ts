/** Why a value is not one of its attribute. */
export class Misfit {
  constructor(readonly detail: string) {}

  /** The same reason, seen from the attribute that has this sub-attribute. */
  within(name: string): Misfit {
    return new Misfit(`${name}.${this.detail}`);
  }
}
