import { createRequire } from 'node:module';
import { z } from 'zod';

/** The part of the library that is used; it has no types of its own. */
interface Ucum {
  validateUnitString(code: string): unknown;
  convertUnitTo(from: string, value: number, to: string): unknown;
}

const Validated = z.object({ status: z.string(), ucumCode: z.string().nullish() });
const Converted = z.object({ status: z.string(), toVal: z.number().nullish() });

let opened: Ucum | undefined;

/** Read when the first unit asks for it that no table of ours has: 50 ms, 7 MB. */
function ucum(): Ucum {
  if (!opened) {
    const library: { UcumLhcUtils: { getInstance(): Ucum } } = createRequire(import.meta.url)(
      '@lhncbc/ucum-lhc',
    );
    opened = library.UcumLhcUtils.getInstance();
  }
  return opened;
}

/** Whether this is a valid code of UCUM as it stands, in capital and small letters. Blanks are never in one. */
export function isUcum(code: string): boolean {
  if (/\s/.test(code)) return false;
  const said = Validated.safeParse(ucum().validateUnitString(code));
  return said.success && said.data.status === 'valid' && said.data.ucumCode === code;
}

const EQUAL_ENOUGH = 1e-9;

/** Whether one of the first is one of the second; false as well where they measure different things. */
export function isSameMagnitude(one: string, other: string): boolean {
  const said = Converted.safeParse(ucum().convertUnitTo(one, 1, other));
  const value = said.success && said.data.status === 'succeeded' ? said.data.toVal : undefined;
  return typeof value === 'number' && Math.abs(value - 1) < EQUAL_ENOUGH;
}
