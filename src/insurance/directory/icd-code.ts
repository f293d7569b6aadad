const SHAPE = /^([A-Z]\d[0-9A-Z])(?:\.?([0-9A-Z]{1,4}))?$/;
const START = /^(?:[A-Z]\d[0-9A-Z]?|[A-Z]\d[0-9A-Z]\.?[0-9A-Z]{0,4})$/;

/** The code without its dot, in capitals; `undefined` when it does not have the shape of an ICD-10-CM code. */
export function bareCode(written: string): string | undefined {
  const match = SHAPE.exec(written.trim().toUpperCase());
  return match === null ? undefined : `${match[1]}${match[2] ?? ''}`;
}

/** The same for the beginning of a code, as one types it: at least a letter and a digit. */
export function codeStart(typed: string): string | undefined {
  const start = typed.trim().toUpperCase();
  return START.test(start) ? start.replace('.', '') : undefined;
}

/** The code as people write it: a dot after the category. */
export const dotted = (bare: string): string =>
  bare.length > 3 ? `${bare.slice(0, 3)}.${bare.slice(3)}` : bare;

/** `E11.9` of ` e119`, as a laboratory has to read it; what has not the shape of a code stays as it is. */
export function writtenCode(given: string): string {
  const bare = bareCode(given);
  return bare === undefined ? given : dotted(bare);
}
