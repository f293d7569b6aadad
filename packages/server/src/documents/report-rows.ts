import type { z } from 'zod';
import type { ResultView } from '../results/results/schema.ts';

type ResultViewInput = z.input<typeof ResultView>;
export type ReportedRow = ResultViewInput['results'][number];
type MissingRow = NonNullable<ResultViewInput['missing_results']>[number];

export interface ReportedSpecimen {
  readonly id: string;
  readonly collectedAt: Date | undefined;
  readonly receivedAt: Date | undefined;
  readonly reportedAt: Date;
}

/** A value from an earlier report. */
export interface EarlierValue {
  /** For a result such as `<0.1`, its limit. */
  readonly value: number;
  readonly isLimit: boolean;
  readonly unit: string | null;
  /** As printed. */
  readonly result: string;
  readonly at: Date;
  readonly isRemarkable: boolean;
}

/** Earlier values by LOINC, oldest first. Only those in the same unit are comparable. */
export type EarlierValues = ReadonlyMap<string, readonly EarlierValue[]>;

export interface EnclosedReport {
  readonly title: string | null;
  readonly receivedAt: Date;
}

/** The data of a result report, for one order or for all orders of a transaction. */
export interface ReportFacts {
  /** For the page footer, as `Order 0190...`. */
  readonly reference: string;
  readonly patient: {
    readonly first_name: string;
    readonly last_name: string;
    readonly dob: string;
    readonly gender: string;
    readonly phone_number: string;
  } | null;
  readonly laboratory: {
    readonly name: string;
    readonly clia: string | null;
    readonly director: string | null;
    readonly address: string;
  };
  readonly physician:
    { readonly first_name: string; readonly last_name: string; readonly npi: string } | undefined;
  readonly accountNumber: string | null;
  readonly specimens: readonly ReportedSpecimen[];
  readonly status: 'partial' | 'final' | 'corrected';
  /** Starts at 1; each version replaces the earlier ones. Null for a combined report. */
  readonly version: number | null;
  readonly interpretation: 'normal' | 'abnormal' | 'critical' | 'unknown';
  readonly results: readonly ReportedRow[];
  readonly missing: readonly MissingRow[];
  /** The laboratory's remarks on the whole report. */
  readonly notes: readonly string[];
  /** Earlier values of this patient. */
  readonly earlier: EarlierValues;
  /** The PDF reports that the laboratory enclosed, newest first. */
  readonly enclosed: readonly EnclosedReport[];
}
