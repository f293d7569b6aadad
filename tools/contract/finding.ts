import type { AnySchema, OpenApi } from './openapi.ts';

/**
 * Who has to fit whom. In an answer, all that we may say must be something that the contract lets us say;
 * in a request or a parameter, all that the contract lets a caller say must be something that we accept.
 */
export type Direction = 'answer' | 'request' | 'parameter';

export interface Finding {
  /** Where, relative to the schema that was compared: `.order.events[].id`. */
  readonly place: string;
  readonly expected: string;
  readonly got: string;
  /** True where nothing breaks: worth knowing, not worth failing. */
  readonly note: boolean;
}

export interface Sides {
  readonly direction: Direction;
  /** The document of the one who speaks, and of the one who must understand. */
  readonly narrow: OpenApi;
  readonly wide: OpenApi;
  readonly memo: Map<AnySchema, Map<AnySchema, readonly Finding[]>>;
  /** Every reason why a value of `narrow` may not be a value of `wide`. */
  fit(narrow: AnySchema, wide: AnySchema): readonly Finding[];
}

export const inside = (place: string, findings: readonly Finding[]): readonly Finding[] =>
  findings.map((finding) => ({ ...finding, place: `${place}${finding.place}` }));

/** `expected` is always the contract's word and `got` ours, whichever of them has to fit the other. */
export function gap({ direction }: Sides, narrow: string, wide: string): Finding {
  const words =
    direction === 'answer' ? { expected: wide, got: narrow } : { expected: `${narrow} accepted`, got: wide };
  return { place: '', ...words, note: false };
}
