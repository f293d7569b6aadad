import type { z } from 'zod';
import type { ResultView } from '../results/schema.ts';

type View = z.input<typeof ResultView>;
export type ReportedRow = View['results'][number];
export type MissingRow = NonNullable<View['missing_results']>[number];

export interface ReportedSpecimen {
  readonly id: string;
  readonly collectedAt: Date | undefined;
  readonly receivedAt: Date | undefined;
  readonly reportedAt: Date;
}

/** A value as it was reported before. */
export interface EarlierValue {
  readonly value: number;
  readonly result: string;
  readonly at: Date;
  readonly isRemarkable: boolean;
}

/** Earlier values of what can be compared: the same LOINC in the same unit. The oldest first. */
export type EarlierValues = ReadonlyMap<string, readonly EarlierValue[]>;

/** What a report of results says; of one order, or of all orders of a transaction together. */
export interface ReportFacts {
  /** `Order 0190...`, for the foot of the page. */
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
    readonly address: string;
  };
  readonly physician:
    { readonly first_name: string; readonly last_name: string; readonly npi: string } | undefined;
  readonly accountNumber: string | null;
  readonly specimens: readonly ReportedSpecimen[];
  readonly status: 'partial' | 'final' | 'corrected';
  /** 1 is the first; later ones replace those before. None where several orders are reported together. */
  readonly version: number | null;
  readonly interpretation: 'normal' | 'abnormal' | 'critical' | 'unknown';
  readonly results: readonly ReportedRow[];
  readonly missing: readonly MissingRow[];
  /** What the laboratory remarks on the whole. */
  readonly notes: readonly string[];
  /** What was measured of this patient before. */
  readonly earlier: EarlierValues;
}
