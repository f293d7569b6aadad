import type { NameLanguage } from './terms.ts';

/** What of a result is asked for; a line of the reader has all of it. */
export interface CodableLine {
  readonly testName: string;
  readonly printedValue: string;
  readonly value: number | null;
  readonly unit: string | null;
  readonly panel: string | null;
  readonly section: string | null;
  readonly specimen: string | null;
  /** How it was measured, where the report says so. */
  readonly method?: string | null;
}

/** What the lines around say, see `contextsOf`. */
export interface CodingContext {
  readonly language?: NameLanguage | null;
  /** The line stands among lines that only a urinalysis has. */
  readonly isUrinalysis?: boolean;
}
