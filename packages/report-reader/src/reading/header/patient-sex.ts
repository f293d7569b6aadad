import { joinWords } from '../rows.ts';
import type { Gender, Language } from '../report-model.ts';
import type { BirthMatch } from './birth.ts';
import { type HeaderLine, type LabelMatch, splitHeaderLine, findLabelValues } from './labels.ts';
import { parseHeaderDate } from './header-dates.ts';
import type { HeaderPatient } from './patient.ts';
import { isSexWord, parseTrailingSex, parseSex, parseLabelSex, inferSexFromTitles } from './sex.ts';
import { collectTitles } from './unlabeled-name.ts';

interface PatientSexContext {
  readonly lines: readonly HeaderLine[];
  readonly patient: HeaderPatient | undefined;
  readonly birth: BirthMatch | undefined;
  readonly language: Language | null;
}

/** The sex according to labels, titles and the text after name and date of birth, if they agree. */
export function detectGender(told: PatientSexContext): Gender {
  const { lines, patient, birth, language } = told;
  const found = new Set([
    ...readLabeledSexes(told),
    inferSexFromTitles(patient ? collectTitles(lines, patient, language) : []),
    patient && parseTrailingSex(patient.rest, language),
    birth && parseTrailingSex(birth.rest, language),
    ...[patient?.line, birth?.line].map((line) => readStandaloneSex(told, line)),
  ]);
  found.delete(null);
  found.delete(undefined);
  const [gender] = found;
  return found.size === 1 && gender ? gender : 'other';
}

function readLabeledSexes({ lines, language }: PatientSexContext): (Gender | null)[] {
  return lines.flatMap((line) =>
    line.spots
      .filter(({ label }) => label.fields.includes('sex'))
      .flatMap((spot) => {
        const own = findLetterLanguage(lines, { spot, language });
        return (
          findLabelValues(lines, spot)
            .map(({ text }) =>
              new Set(spot.label.fields).size === 1 ? parseLabelSex(text, own) : parseSex(text, own),
            )
            .find((sex) => sex !== null) ?? null
        );
      }),
  );
}

const DATES: ReadonlySet<string> = new Set(['dob', 'collected', 'reported']);

/** In Chile, where people have a RUT, M and F mean "masculino" and "femenino"; the same in Argentina. */
const CHILE = 'es-CL';

/** Argentine physicians have a national or provincial license number; identity cards use M and F there. */
const ARGENTINA = /\b(?:M\.? ?[NP]\.? ?\d|C\.?A\.?B\.?A\.?|Buenos Aires|Argentina|CUIT)(?!\p{L})/u;

/** The language of a sex letter next to a label: Spanish and Portuguese share "Sexo", but not the meaning of M. */
function findLetterLanguage(
  lines: readonly HeaderLine[],
  { spot, language }: { spot: LabelMatch; language: Language | null },
): string | null {
  const own = spot.label.language ?? language;
  if (own !== 'es') return own;
  if (lines.some(({ words }) => words.some(({ text }) => /^R\.?U\.?[TN]\.?:?$/u.test(text)))) return CHILE;
  if (lines.some(({ words }) => ARGENTINA.test(joinWords(words)))) return CHILE;
  const others = lines.flatMap(({ spots }) =>
    spots.filter(({ label }) => !label.isWeak && label.fields.some((field) => DATES.has(field))),
  );
  const count = (wanted: string) => others.filter(({ label }) => label.language === wanted).length;
  return language === 'pt' || count('pt') > count('es') ? 'pt' : 'es';
}

/** "52 year old Female" */
const AGE = /^\d{1,3}[ -]?(?:years?|yrs?|y\.?o\.?|y)(?:[ -]old)?[\s,/·-]+(?=\p{L})/iu;

/** A lone sex in the line of the patient, "Mujer"; a letter counts only right after the date of birth. */
function readStandaloneSex(
  { lines, birth, language }: PatientSexContext,
  at: number | undefined,
): Gender | null {
  const line = at === undefined ? undefined : lines[at];
  if (!line) return null;
  const segments = splitHeaderLine(line).map(({ words }) => joinWords(words).replace(AGE, ''));
  const word = segments.find(isSexWord);
  if (word !== undefined) return parseSex(word, language);
  const date = segments.findIndex(
    (text) => parseHeaderDate(text, 'dmy')?.iso.slice(0, 4) === birth?.dob.slice(0, 4),
  );
  const letter = date < 0 ? '' : (segments[date + 1] ?? '');
  return /^\(?[a-z]\)?$/i.test(letter) ? parseSex(letter, language) : null;
}
