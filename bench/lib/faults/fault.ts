/** A failure that can be injected and ended. */
export interface Fault {
  readonly name: string;
  begin(): Promise<void> | void;
  /** Runs between begin and end; by default a pause of 3 s. */
  last?(): Promise<void>;
  end(): Promise<void> | void;
  /** Checks beyond the writes, after recovery. */
  judge?(): Promise<Judgement> | Judgement;
}

export interface Judgement {
  /** How many requests exceeded a limit and still passed. */
  readonly bypassed: number;
  /** Violations, as sentences. */
  readonly wrong: readonly string[];
  readonly note: string;
}

export const nothing = (): void => {};
