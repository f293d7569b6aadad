import type { NameLanguage } from './terms.ts';

/** The part of a report line that coding needs. */
export interface CodableLine {
  readonly testName: string;
  readonly printedValue: string;
  readonly value: number | null;
  readonly unit: string | null;
  readonly panel: string | null;
  readonly section: string | null;
  readonly specimen: string | null;
  /** The measurement method, if the report states it. */
  readonly method?: string | null;
}

/** Context from the other lines of the report, see `inferContexts`. */
export interface CodingContext {
  readonly language?: NameLanguage | null;
  /** Whether the neighboring lines are those of a urinalysis. */
  readonly isUrinalysis?: boolean;
}
