import type { AnySchema, OpenApi } from './openapi.ts';

/**
 * Which schema must fit into which. Every response that we may send must be allowed by the contract. Every request or
 * parameter that the contract allows must be accepted by us.
 */
export type FitDirection = 'answer' | 'request' | 'parameter';

export interface SchemaFinding {
  /** Path relative to the compared schema: `.order.events[].id`. */
  readonly place: string;
  readonly expected: string;
  readonly got: string;
  /** True if the difference is harmless: reported, but not a failure. */
  readonly note: boolean;
}

export interface FitContext {
  readonly direction: FitDirection;
  /** The sender's document, and the receiver's document, which must accept all that the sender may send. */
  readonly narrow: OpenApi;
  readonly wide: OpenApi;
  readonly memo: Map<AnySchema, Map<AnySchema, readonly SchemaFinding[]>>;
  /** Every reason why a value of `narrow` may not be a value of `wide`. */
  fit(narrow: AnySchema, wide: AnySchema): readonly SchemaFinding[];
}

export const prefixPlace = (place: string, findings: readonly SchemaFinding[]): readonly SchemaFinding[] =>
  findings.map((finding) => ({ ...finding, place: `${place}${finding.place}` }));

/** `expected` is always the contract's side and `got` ours, whichever has to fit the other. */
export function mismatchFinding({ direction }: FitContext, narrow: string, wide: string): SchemaFinding {
  const words =
    direction === 'answer' ? { expected: wide, got: narrow } : { expected: `${narrow} accepted`, got: wide };
  return { place: '', ...words, note: false };
}
