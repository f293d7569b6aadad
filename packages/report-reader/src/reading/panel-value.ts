import type { ParsedResult, ReviewReason } from './report-model.ts';

export type PanelDoubt = readonly [ParsedResult, ReviewReason];

/** A number of a report with the normal form of its unit. */
export interface PanelValue {
  readonly line: ParsedResult;
  readonly value: number;
  readonly unit: string;
}
