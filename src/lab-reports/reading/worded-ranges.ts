import { qualityOf, type QualityKind } from './lexicon/qualities.ts';
import { bare } from './plain.ts';

/** How a liquid looks that is clear, and how one looks that is not, in six languages and the whole of what is said. */
const CLEAR = /^(?:clear|transparent\p{L}*|limpid[aoe]?|clar[ao]|claire?|klar|nitid[ao]|hell)$/u;
const CLOUDY =
  /^(?:(?:slightly|sl|slight|very|semi|lig|liger[ao]?|ligeramente|ligeiramente|lievemente|leggermente|legerement|leicht|stark|muy|tres) )?(?:turbid|cloudy|hazy|haze|opaque|turbi[ao]|turv[ao]|torbid[ao]|trub|trouble|opac[ao]|opalescent\p{L}*)$/u;

/** Amounts seen under the microscope: what is said of few, and what of more than that. */
const FEW =
  /^(?:few|rare|occasional|scant|scanty|escas[ao]s?|rar[aoi]s?|algun[ao]s|algum[ao]?s|scars[aei]|rares|quelques|vereinzelt|einzelne)$/u;
const MANY =
  /^(?:many|numerous|abundant[eis]*|moderate|moderad[ao]s?|large|heavy|packed|tntc|numeros[aoie]s?|nombreu(?:x|ses)|zahlreich|reichlich|massig)$/u;

/** "Slightly hazy" beside "Clear", "Abundantes" beside "Escasas": both are known words, and one is not the other. */
export function contradicts(printedValue: string, referenceRange: string): boolean {
  const [value, range] = [bare(printedValue), bare(referenceRange)];
  return (CLEAR.test(range) && CLOUDY.test(value)) || (FEW.test(range) && MANY.test(value));
}

/** What a range in words expects: "negativo < 1:80" is negative, and so is "Absent (none)". */
export const expectedOf = (referenceRange: string): QualityKind | undefined =>
  qualityOf(referenceRange.replace(/(?<=\p{L})\s*(?:\([^()]*\)|[<≤]\s?1\s?[:/]\s?\d{1,6})$/u, ''));

/** What a value in words says; where more is said of what is there, it is there: "Present (few)", "presente, catene kappa". */
export function foundIn(printedValue: string): QualityKind | undefined {
  const whole = qualityOf(printedValue);
  if (whole) return whole;
  const [first = ''] = printedValue.split(/\s*[,(]/u);
  return first !== printedValue && qualityOf(first) === 'present' ? 'present' : undefined;
}
