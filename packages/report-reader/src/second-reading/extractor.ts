/** A word of a page. The origin is the upper left corner. */
export interface PageWord {
  readonly text: string;
  readonly page: number;
  readonly box: { readonly x0: number; readonly y0: number; readonly x1: number; readonly y1: number };
}

/** A result as an external extractor understands it. It is used only if it is found on the page. */
export interface ExtractorLine {
  readonly name: string;
  /** As printed. */
  readonly value: string;
  readonly unit: string | null;
  readonly referenceRange: string | null;
  readonly flag: string | null;
}
