/** How the reader understands printed values, ranges and units, for those who correct them. Loads no OCR and no PDF. */
export { compareToInterval, type RangeComparison } from './reading/interpretation.ts';
export { detectDecimalSign, readNumber, type DecimalSign } from './reading/numbers.ts';
export { readInterval } from './reading/range-text.ts';
export { classifyResultType } from './reading/result-type.ts';
export { normalizeText } from './reading/text-normalization.ts';
export { toUnitKey } from './reading/units.ts';
