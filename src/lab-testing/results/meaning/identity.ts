import type { Analyte } from '../../../adapters/lab-network/port.ts';
import { remembered } from '../../../platform/remembered.ts';

/** A code as it is compared: without blanks around it, in either case. */
export const codeKey = remembered((code) => code.trim().toUpperCase());

/** Letters and digits only: `Glucose, Fasting` is `GLUCOSE FASTING` is `glucose-fasting`. */
export const nameKey = remembered((name) => name.toLowerCase().replace(/[^a-z0-9]+/g, ''));

/** Whether two expected results are the same thing, by the laboratory's code or, without one, by what it is called. */
export const isOneThing = (one: Analyte, other: Analyte): boolean =>
  one.providerId !== null && other.providerId !== null
    ? isCode(one.providerId) && codeKey(one.providerId) === codeKey(other.providerId)
    : one.slug === other.slug;

const isCode = (code: string): boolean => codeKey(code) !== '';

/** Expected results, asked whether one of them is the same thing as another one. */
export class Things {
  readonly #codes = new Set<string>();
  readonly #slugs = new Set<string>();
  readonly #slugsWithoutCode = new Set<string>();

  constructor(things: Iterable<Analyte> = []) {
    for (const thing of things) this.add(thing);
  }

  add({ providerId, slug }: Analyte): void {
    this.#slugs.add(slug);
    if (providerId === null) this.#slugsWithoutCode.add(slug);
    else if (isCode(providerId)) this.#codes.add(codeKey(providerId));
  }

  has({ providerId, slug }: Analyte): boolean {
    return this.hasCalled(providerId === null ? null : codeKey(providerId), slug);
  }

  /** The same by the key of its code, for who asks many. */
  hasCalled(code: string | null, slug: string): boolean {
    return code === null ? this.#slugs.has(slug) : this.#codes.has(code) || this.#slugsWithoutCode.has(slug);
  }
}
