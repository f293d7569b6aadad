import { HEADING_WORD, hasInstitutionWord } from '../lexicon/lab-names.ts';
import { joinWords } from '../rows.ts';
import { normalizeText } from '../text-normalization.ts';
import { type HeaderLine, findLabelValues } from './labels.ts';
import { isAddress, isLabOfLabel } from './non-lab-names.ts';

/** The labeled name, without the address after it and without the number of the site before it. */
export function findLabeledLabName(lines: readonly HeaderLine[]): string | undefined {
  for (const line of lines) {
    for (const spot of line.spots) {
      const label = joinWords(line.words.slice(spot.begin, spot.end));
      if (!spot.label.fields.includes('lab') && !REPORTED_BY.test(label)) continue;
      const [value] = findLabelValues(lines, spot);
      const name = withoutSiteNumber(value?.text ?? '')
        .replace(/,?\s+\d.*$/, '')
        .replace(/,(?:[^,]*,?)?$/, '');
      if (!/\p{L}{3}/u.test(name) || HEADING_WORD.test(normalizeText(name)) || !isLabOfLabel(label, name))
        continue;
      return name;
    }
  }
  return undefined;
}

/** Labels of a person, or of the laboratory that issues the report. */
const REPORTED_BY = /^(?:reported|issued|processed) (?:by|at)\b/i;

const withoutSiteNumber = (text: string): string => {
  const rest = text.replace(/^\d+\s+(?:[-–]\s+)?/u, '');
  return hasInstitutionWord(rest) && !isAddress(rest) ? rest : text;
};
