import type { LabAnalyte } from '../../../adapters/lab-network/port.ts';
import { memoizeByText } from '../../../platform/memoize.ts';

/** A code in the form in which codes are compared: trimmed, upper case. */
export const codeKey = memoizeByText((code) => code.trim().toUpperCase());

/** Letters and digits only: `Glucose, Fasting` is `GLUCOSE FASTING` is `glucose-fasting`. */
export const nameKey = memoizeByText((name) => name.toLowerCase().replace(/[^a-z0-9]+/g, ''));

/** Whether two analytes are the same: by the laboratory's code or, without a code, by slug. */
export const isSameAnalyte = (one: LabAnalyte, other: LabAnalyte): boolean =>
  one.providerId !== null && other.providerId !== null
    ? isCode(one.providerId) && codeKey(one.providerId) === codeKey(other.providerId)
    : one.slug === other.slug;

const isCode = (code: string): boolean => codeKey(code) !== '';

/** A set of analytes, compared as `isSameAnalyte` compares them. */
export class AnalyteSet {
  readonly #codes = new Set<string>();
  readonly #slugs = new Set<string>();
  readonly #slugsWithoutCode = new Set<string>();

  constructor(things: Iterable<LabAnalyte> = []) {
    for (const thing of things) this.add(thing);
  }

  add({ providerId, slug }: LabAnalyte): void {
    this.#slugs.add(slug);
    if (providerId === null) this.#slugsWithoutCode.add(slug);
    else if (isCode(providerId)) this.#codes.add(codeKey(providerId));
  }

  has({ providerId, slug }: LabAnalyte): boolean {
    return this.hasKey(providerId === null ? null : codeKey(providerId), slug);
  }

  /** Like `has`, with the precomputed key of the code. */
  hasKey(code: string | null, slug: string): boolean {
    return code === null ? this.#slugs.has(slug) : this.#codes.has(code) || this.#slugsWithoutCode.has(slug);
  }
}
