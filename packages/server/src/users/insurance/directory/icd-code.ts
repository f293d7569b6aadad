const SHAPE = /^([A-Z]\d[0-9A-Z])(?:\.?([0-9A-Z]{1,4}))?$/;
const PREFIX = /^(?:[A-Z]\d[0-9A-Z]?|[A-Z]\d[0-9A-Z]\.?[0-9A-Z]{0,4})$/;

/** The code without its dot, in upper case; undefined when it does not have the form of an ICD-10-CM code. */
export function normalizeIcdCode(written: string): string | undefined {
  const match = SHAPE.exec(written.trim().toUpperCase());
  return match === null ? undefined : `${match[1]}${match[2] ?? ''}`;
}

/** The same for the beginning of a code, while it is typed: at least a letter and a digit. */
export function normalizeCodePrefix(typed: string): string | undefined {
  const start = typed.trim().toUpperCase();
  return PREFIX.test(start) ? start.replace('.', '') : undefined;
}

/** The code with a dot after its category. */
export const withDot = (bare: string): string =>
  bare.length > 3 ? `${bare.slice(0, 3)}.${bare.slice(3)}` : bare;

/** Formats ` e119` as `E11.9`, as laboratories expect it; other text is returned unchanged. */
export function formatIcdCode(given: string): string {
  const bare = normalizeIcdCode(given);
  return bare === undefined ? given : withDot(bare);
}
