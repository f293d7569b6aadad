import type { CodableLine } from './codable-line.ts';
import { dimensionsOf } from './dimension.ts';
import type { NameVariant } from './name-variants.ts';
import { plainText } from './plain-name.ts';

/** Words in or above lines of specific IgE, in six languages. */
const SPECIFIC_IGE = /allerg|alerg|\bige\b|\brast\b|immunocap/;
/** Total IgE and other immunoglobulins. */
const NOT_OF_ONE = /\b(?:total\w*|gesamt\w*|immun\w*|inmun\w*|imun\w*)\b/;
/** Molecular allergens such as "rBet v 1" and "nAra h 2" have their own codes. */
const MOLECULE = /\b[rn]?[a-z]{3} [a-z]{1,2} \d{1,2}\b/;

/** Whether a line is likely to be IgE against one allergen. T3 among hormones is not the allergen code of birch. */
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

/** Allergen codes as introduced by ImmunoCAP: a letter for the group and a number for the allergen. */
const CODE = /^[defghikmotuw]\d{1,3}$/;
export const findAllergenCode = (words: readonly string[]): string | undefined =>
  words.find((word) => CODE.test(word));

const NOT_THE_ALLERGEN = /^(?:ige|anti|spez|spezifisches|specifi(?:c|que|ca|che)|especifica)$/;

/** Looks up by allergen code, which is the same in every language, otherwise by the name plus "IgE". */
export function allergenVariants(words: readonly string[]): readonly NameVariant[] {
  const code = findAllergenCode(words);
  if (code !== undefined) return [{ words: [code, 'ige'], weight: 1 }];
  const named = words.filter((word) => !NOT_THE_ALLERGEN.test(word));
  return named.length === 0 ? [] : [{ words: [...named, 'ige'], weight: 0.98 }];
}
