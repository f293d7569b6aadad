export { hasCheckDigit } from '../../../adapters/lab-network/port.ts';

/** The numeric id of a code: `2160-0` becomes 21600. */
export const toLoincId = (code: string): number => Number(code.replace('-', ''));
