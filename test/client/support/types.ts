/** Whether two types are the same. */
export type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/**
 * Whether a type of the client and a type of the contract are the same, apart from `readonly`. The client may know more about a
 * text, an object with any members, or a member of any type, and may lack the last. It may have several types for one object.
 */
export type Agree<Client, Contract> = unknown extends Contract
  ? true
  : Same<Writable<Client>, Writable<Contract>> extends true
    ? true
    : Same<Extract<Client, Nothing>, Extract<Contract, Nothing>> extends true
      ? AgreeOnValues<Exclude<Client, Nothing>, Exclude<Contract, Nothing>>
      : false;

type AgreeOnValues<Client, Contract> = [Client, Contract] extends [
  readonly (infer ClientItem)[],
  readonly (infer ContractItem)[],
]
  ? Agree<ClientItem, ContractItem>
  : [Client, Contract] extends [object, object]
    ? AgreeOnMembers<Client, Contract>
    : [Client, string] extends [string, Contract]
      ? true
      : false;

type AgreeOnMembers<Client, Contract> = [keyof Contract] extends [never]
  ? true
  : Same<KeyOf<Client> | AnyValueKeyOf<Contract>, keyof Contract> extends true
    ? false extends {
        [Key in keyof Contract]-?: Agree<Member<Client, Key>, Member<Contract, Key>>;
      }[keyof Contract]
      ? false
      : true
    : false;

type Nothing = null | undefined;
/** The names of all members, if there are several types of an object. */
type KeyOf<T> = T extends unknown ? keyof T : never;
/** The names of the members of any type: the service ignores them in a request. */
type AnyValueKeyOf<T> = keyof { [Key in keyof T as unknown extends T[Key] ? Key : never]: Key };
type Member<T, Key> = T extends unknown ? (Key extends keyof T ? T[Key] : undefined) : never;
/** An object with any members stays as it is: JSON contains itself. */
type Writable<T> = T extends string | number | boolean | Nothing
  ? T
  : string extends keyof T
    ? T
    : { -readonly [Key in keyof T]: Writable<T[Key]> };
