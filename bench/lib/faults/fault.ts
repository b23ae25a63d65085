/** Something that goes wrong, and goes right again. */
export interface Fault {
  readonly name: string;
  begin(): Promise<void> | void;
  /** What passes between begin and end; 3 s where nothing is said. */
  last?(): Promise<void>;
  end(): Promise<void> | void;
  /** What must hold besides the writes, after everything has settled. */
  judge?(): Promise<Judgement> | Judgement;
}

export interface Judgement {
  /** How often a limit let more through than it allows. */
  readonly bypassed: number;
  /** What should not be, in words; nothing else may follow from it. */
  readonly wrong: readonly string[];
  readonly note: string;
}

export const nothing = (): void => {};
