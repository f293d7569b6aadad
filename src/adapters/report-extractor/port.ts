/** A word of a page from the report reader. The origin is the upper left corner. */
export interface PageWord {
  readonly text: string;
  readonly page: number;
  readonly box: { readonly x0: number; readonly y0: number; readonly x1: number; readonly y1: number };
}

/** A result as the extractor understands it. It is used only if the report reader finds it on the page. */
export interface ExtractorLine {
  readonly name: string;
  /** As printed. */
  readonly value: string;
  readonly unit: string | null;
  readonly referenceRange: string | null;
  readonly flag: string | null;
}

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
