import { createRequire } from 'node:module';
import { z } from 'zod';

/** The part of the library that is used; the library has no type declarations. */
interface UcumLibrary {
  validateUnitString(code: string): unknown;
  convertUnitTo(from: string, value: number, to: string): unknown;
}

const UcumValidation = z.object({ status: z.string(), ucumCode: z.string().nullish() });
const UcumConversion = z.object({ status: z.string(), toVal: z.number().nullish() });

let ucumInstance: UcumLibrary | undefined;

/** Loaded on first use, for a unit that is in none of our tables: 50 ms, 7 MB. */
function openUcum(): UcumLibrary {
  if (!ucumInstance) {
    const library: { UcumLhcUtils: { getInstance(): UcumLibrary } } = createRequire(import.meta.url)(
      '@lhncbc/ucum-lhc',
    );
    ucumInstance = library.UcumLhcUtils.getInstance();
  }
  return ucumInstance;
}

/** Whether this is a valid, case-sensitive UCUM code. UCUM codes contain no white space. */
export function isUcum(code: string): boolean {
  if (/\s/.test(code)) return false;
  const said = UcumValidation.safeParse(openUcum().validateUnitString(code));
  return said.success && said.data.status === 'valid' && said.data.ucumCode === code;
}

const MAGNITUDE_TOLERANCE = 1e-9;

/** Whether 1 of the first unit equals 1 of the second; false where the dimensions differ. */
export function isSameMagnitude(one: string, other: string): boolean {
  const said = UcumConversion.safeParse(openUcum().convertUnitTo(one, 1, other));
  const value = said.success && said.data.status === 'succeeded' ? said.data.toVal : undefined;
  return typeof value === 'number' && Math.abs(value - 1) < MAGNITUDE_TOLERANCE;
}
