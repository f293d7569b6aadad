import { parseQualitative, type QualitativeKind } from './lexicon/qualitative-results.ts';
import { normalizeWords } from './text-normalization.ts';

/** Words for a clear and for a cloudy liquid in six languages; the whole text must match. */
const CLEAR = /^(?:clear|transparent\p{L}*|limpid[aoe]?|clar[ao]|claire?|klar|nitid[ao]|hell)$/u;
const CLOUDY =
  /^(?:(?:slightly|sl|slight|very|semi|lig|liger[ao]?|ligeramente|ligeiramente|lievemente|leggermente|legerement|leicht|stark|muy|tres) )?(?:turbid|cloudy|hazy|haze|opaque|turbi[ao]|turv[ao]|torbid[ao]|trub|trouble|opac[ao]|opalescent\p{L}*)$/u;

/** Amounts seen under the microscope: few, and more than few. */
const FEW_SEEN =
  /^(?:few|rare|occasional|scant|scanty|escas[ao]s?|rar[aoi]s?|algun[ao]s|algum[ao]?s|scars[aei]|rares|quelques|vereinzelt|einzelne)$/u;
const MANY_SEEN =
  /^(?:many|numerous|abundant[eis]*|moderate|moderad[ao]s?|large|heavy|packed|tntc|numeros[aoie]s?|nombreu(?:x|ses)|zahlreich|reichlich|massig)$/u;

/** "Slightly hazy" with range "Clear", "Abundantes" with range "Escasas": both are known words, and they contradict. */
export function isContradiction(printedValue: string, referenceRange: string): boolean {
  const [value, range] = [normalizeWords(printedValue), normalizeWords(referenceRange)];
  return (CLEAR.test(range) && CLOUDY.test(value)) || (FEW_SEEN.test(range) && MANY_SEEN.test(value));
}

/** The expected value of a range in words: "negativo < 1:80" is negative, and so is "Absent (none)". */
export const classifyExpected = (referenceRange: string): QualitativeKind | undefined =>
  parseQualitative(referenceRange.replace(/(?<=\p{L})\s*(?:\([^()]*\)|[<≤]\s?1\s?[:/]\s?\d{1,6})$/u, ''));

/** What a value in words says; with additional detail it is present: "Present (few)", "presente, catene kappa". */
export function classifyFinding(printedValue: string): QualitativeKind | undefined {
  const whole = parseQualitative(printedValue);
  if (whole) return whole;
  const [first = ''] = printedValue.split(/\s*[,(]/u);
  return first !== printedValue && parseQualitative(first) === 'present' ? 'present' : undefined;
}
