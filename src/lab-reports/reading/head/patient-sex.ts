import { textOf } from '../rows.ts';
import type { Gender, Language } from '../word.ts';
import type { Birth } from './birth.ts';
import { type HeadLine, type Spot, segmentsOf, valuesOf } from './labels.ts';
import { dateIn } from './moments.ts';
import type { Patient } from './patient.ts';
import { isSexWord, sexBehind, sexIn, sexInFirstPart, sexOfTitles } from './sex.ts';
import { titlesOf } from './unlabelled-name.ts';

interface Told {
  readonly lines: readonly HeadLine[];
  readonly patient: Patient | undefined;
  readonly birth: Birth | undefined;
  readonly language: Language | null;
}

/** What labels, titles and the words behind name and date of birth say, where they agree. */
export function genderOf(told: Told): Gender {
  const { lines, patient, birth, language } = told;
  const found = new Set([
    ...sexesAtLabels(told),
    sexOfTitles(patient ? titlesOf(lines, patient, language) : []),
    patient && sexBehind(patient.rest, language),
    birth && sexBehind(birth.rest, language),
    ...[patient?.line, birth?.line].map((line) => sexAlone(told, line)),
  ]);
  found.delete(null);
  found.delete(undefined);
  const [gender] = found;
  return found.size === 1 && gender ? gender : 'other';
}

function sexesAtLabels({ lines, language }: Told): (Gender | null)[] {
  return lines.flatMap((line) =>
    line.spots
      .filter(({ label }) => label.fields.includes('sex'))
      .flatMap((spot) => {
        const own = languageOfLetters(lines, { spot, language });
        return (
          valuesOf(lines, spot)
            .map(({ text }) =>
              new Set(spot.label.fields).size === 1 ? sexInFirstPart(text, own) : sexIn(text, own),
            )
            .find((sex) => sex !== null) ?? null
        );
      }),
  );
}

const DATES: ReadonlySet<string> = new Set(['dob', 'collected', 'reported']);

/** Where everybody has a RUT, the letters of registers are those of "masculino" and "femenino"; so in Argentina. */
const CHILE = 'es-CL';

/** Who works in Argentina has a national or a provincial licence; identity cards have M and F there. */
const ARGENTINA = /\b(?:M\.? ?[NP]\.? ?\d|C\.?A\.?B\.?A\.?|Buenos Aires|Argentina|CUIT)(?!\p{L})/u;

/** In which language letters beside a label mean a sex: Spanish and Portuguese share "Sexo", and not what M means. */
function languageOfLetters(
  lines: readonly HeadLine[],
  { spot, language }: { spot: Spot; language: Language | null },
): string | null {
  const own = spot.label.language ?? language;
  if (own !== 'es') return own;
  if (lines.some(({ words }) => words.some(({ text }) => /^R\.?U\.?[TN]\.?:?$/u.test(text)))) return CHILE;
  if (lines.some(({ words }) => ARGENTINA.test(textOf(words)))) return CHILE;
  const others = lines.flatMap(({ spots }) =>
    spots.filter(({ label }) => !label.isWeak && label.fields.some((field) => DATES.has(field))),
  );
  const count = (wanted: string) => others.filter(({ label }) => label.language === wanted).length;
  return language === 'pt' || count('pt') > count('es') ? 'pt' : 'es';
}

/** "52 year old Female" */
const AGE = /^\d{1,3}[ -]?(?:years?|yrs?|y\.?o\.?|y)(?:[ -]old)?[\s,/·-]+(?=\p{L})/iu;

/** A sex that stands by itself in the line of the patient, "Mujer"; a letter only right behind the date of birth. */
function sexAlone({ lines, birth, language }: Told, at: number | undefined): Gender | null {
  const line = at === undefined ? undefined : lines[at];
  if (!line) return null;
  const segments = segmentsOf(line).map(({ words }) => textOf(words).replace(AGE, ''));
  const word = segments.find(isSexWord);
  if (word !== undefined) return sexIn(word, language);
  const date = segments.findIndex((text) => dateIn(text, 'dmy')?.iso.slice(0, 4) === birth?.dob.slice(0, 4));
  const letter = date < 0 ? '' : (segments[date + 1] ?? '');
  return /^\(?[a-z]\)?$/i.test(letter) ? sexIn(letter, language) : null;
}
