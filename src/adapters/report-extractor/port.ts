/** A word of a page, as the reader has it. The origin is the upper left corner. */
export interface PageWord {
  readonly text: string;
  readonly page: number;
  readonly box: { readonly x0: number; readonly y0: number; readonly x1: number; readonly y1: number };
}

/** A result as the other side understands it. Nothing of it is believed before the reader found it on the page. */
export interface ExtractedLine {
  readonly name: string;
  /** As it is printed. */
  readonly value: string;
  readonly unit: string | null;
  readonly referenceRange: string | null;
  readonly flag: string | null;
}

export type Extraction =
  | { readonly outcome: 'extracted'; readonly lines: readonly ExtractedLine[] }
  /** `later`: the same question may be answered another time. */
  | { readonly outcome: 'failed'; readonly reason: string; readonly later: boolean };

/**
 * Somebody outside who reads result lines from the words of a report. Asked outside transactions only; changes
 * nothing. Never throws, and answers within half a minute, if only that it failed.
 */
export interface Extractor {
  extract(words: readonly PageWord[]): Promise<Extraction>;
  close(): Promise<void>;
}
