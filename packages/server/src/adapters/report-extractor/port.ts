import type { ExtractorLine, PageWord } from 'aliquot-report-reader';

export type { ExtractorLine, PageWord } from 'aliquot-report-reader';

export type ExtractorResult =
  | { readonly outcome: 'extracted'; readonly lines: readonly ExtractorLine[] }
  /** `later`: whether a retry may succeed. */
  | { readonly outcome: 'failed'; readonly reason: string; readonly later: boolean };

/**
 * An external service that extracts result lines from the words of a report. Call it outside transactions only. It has
 * no side effects, never throws, and returns within 30 seconds, possibly with a failure.
 */
export interface ReportExtractor {
  extract(words: readonly PageWord[]): Promise<ExtractorResult>;
  close(): Promise<void>;
}
