import type { LoincCode } from './code.ts';
import type { LineHints } from './hints.ts';

/** From this similarity on, the line prints the name of the organism or antibiotic itself. */
const PRINTED_NAME = 0.9;

const BLOOD_BANK_NAME = /\b(?:ABO|Rh|blood group|Kell|Duffy|Kidd)\b/i;
/** Codes whose values are words: what is present, which type it is, which organism was found. */
const WORD_NAME =
  /\[(?:Presence|Type|Identifier|Interpretation|Susceptibility|Appearance|Color)\]|\bidentified\b/i;

/**
 * Whether a code is of a class that the line can have at all. Similar names are not enough: an organism is no blood
 * group, and an amount with its unit is neither present nor susceptible.
 */
export function fitsClass(code: LoincCode, hints: LineHints, name: number): boolean {
  const isBloodBank =
    code.loincClass === 'BLDBK' || (code.loincClass === '' && BLOOD_BANK_NAME.test(code.longName));
  if (hints.isOfBloodGroup) return isBloodBank;
  if (hints.isGroupWithRhesus && !hints.isOfMicrobiology && name < PRINTED_NAME) return isBloodBank;
  const isSusceptibility = code.loincClass === 'ABXBACT' || code.longName.includes('[Susceptibility]');
  if (hints.isNumber && hints.hasUnit && WORD_NAME.test(code.longName))
    return hints.isSemiQuantitative || (isSusceptibility && hints.isOfMicrobiology);
  if (hints.isOfAntibiogram && (code.loincClass === 'ALLERGY' || code.loincClass === 'DRUG/TOX'))
    return false;
  const isOfOrganism = isSusceptibility || code.loincClass === 'MICRO';
  return !isOfOrganism || hints.isOfMicrobiology || name >= PRINTED_NAME || isNamed(code, hints.words);
}

/** Whether the line prints the first word of the organism or antibiotic. */
const isNamed = ({ component, longName }: LoincCode, words: readonly string[]): boolean => {
  const names: readonly string[] =
    `${component} ${longName.split('[')[0] ?? ''}`.toLowerCase().match(/\p{L}{3,}/gu) ?? [];
  return words.some((word) => names.includes(word));
};
