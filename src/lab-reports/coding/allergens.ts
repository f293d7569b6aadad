import type { CodableLine } from './codable-line.ts';
import { dimensionsOf } from './dimension.ts';
import type { NameVariant } from './name-variants.ts';
import { plainText } from './plain-name.ts';

/** What is printed over or in lines of IgE against single things, in six languages. */
const SPECIFIC_IGE = /allerg|alerg|\bige\b|\brast\b|immunocap/;
/** IgE of all kinds together. */
const NOT_OF_ONE = /\b(?:total\w*|gesamt\w*|immun\w*|inmun\w*|imun\w*)\b/;
/** "rBet v 1", "nAra h 2": a molecule, which has a code of its own. */
const MOLECULE = /\b[rn]?[a-z]{3} [a-z]{1,2} \d{1,2}\b/;

/** Whether a line is likely to be of IgE against one allergen: T3 among hormones is no birch. */
export function isAboutAllergens({ panel, section, unit }: CodableLine, simple: string): boolean {
  if (
    NOT_OF_ONE.test(simple) ||
    MOLECULE.test(simple) ||
    !SPECIFIC_IGE.test(`${simple} ${plainText(panel ?? section ?? '')}`)
  )
    return false;
  const printed = unit?.trim() ?? '';
  return printed === '' || dimensionsOf(printed).includes('activity');
}

/** As ImmunoCAP numbers them and all makers after it: a letter for the group, a number for the allergen. */
const CODE = /^[defghikmotuw]\d{1,3}$/;
export const allergenCodeIn = (words: readonly string[]): string | undefined =>
  words.find((word) => CODE.test(word));

const ASIDE = /^(?:ige|anti|spez|spezifisches|specifi(?:c|que|ca|che)|especifica)$/;

/** A code says which allergen it is, whatever the language; without one its name does, with "IgE" behind it. */
export function allergenVariants(words: readonly string[]): readonly NameVariant[] {
  const code = allergenCodeIn(words);
  if (code !== undefined) return [{ words: [code, 'ige'], weight: 1 }];
  const named = words.filter((word) => !ASIDE.test(word));
  return named.length === 0 ? [] : [{ words: [...named, 'ige'], weight: 0.98 }];
}
