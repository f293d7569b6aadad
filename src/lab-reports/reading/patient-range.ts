import type { DecimalSign } from './numbers.ts';
import { plain } from './plain.ts';
import { type FoundInterval, type Interval, intervalsIn } from './range-text.ts';
import type { Gender } from './word.ts';

/** Whose range is looked for. */
export interface Patient {
  readonly gender: Gender;
  readonly ageYears: number | null;
}

const MALE =
  /(?:^|[^a-z])(?:m|male|males|man|men|hombres?|varon(?:es)?|masculino|hommes?|manner|mann|mannlich|mannl|uomini|uomo|maschi|maschio|homens?|h|ho|boys?)(?![a-z])/;
const FEMALE =
  /(?:^|[^a-z])(?:f|female|females|woman|women|mujer(?:es)?|femenino|femmes?|frauen|frau|weiblich|weibl|donne|donna|femmine|femmina|mulher(?:es)?|feminino|w|girls?)(?![a-z])/;
const AGE_UNIT =
  /^\s*(?:(years?|yrs?|y|a[nñ]os?|anos|ans?|jahren?|j\.?|anni)|(months?|mo|meses|mois|monaten?|mesi)|(days?|d[ií]as|dias|jours|tagen?|giorni|weeks?|semanas|wochen?))(?![\p{L}])/iu;
const PREFERRED: readonly RegExp[] = [
  /\bnormal(?:e|es|s)?\b|\bnormo|\bhealthy|\bsaudave|\bsaludable|\bgesund/,
  /\bdesirable|deseable|desejavel|souhaitable|erwunscht|desiderabile|recommand/,
  /\boptimal|optimo|otimo|ottimale/,
  /\bsufficien|suficien|ausreichend/,
  /\bnegative?|negativo|negatif|non.?reac/,
  /\b(?:no[nt]?|nao|nicht)[ -]?diabet\p{L}*|\bnon.?smok\p{L}*|\bideal/u,
  /\badult/,
];
const NOT_WANTED =
  /\b(?:pregnan|trimest|newborn|neonat|infan|child|kinder|ninos|enfant|bambin|crianc|cord|embaraz|gestant|schwanger|insuffic|insufic|deficien|toxic|borderline|limit|high|alto|hoch|risk|diabet|poor|severe|elev|increas|pre.?diab|abnormal|low|equivocal|indeterm|positive|smoker|recien nac)/;

const NOT_PREGNANT =
  /\bno[nt]? (?:pregnan|gravid|embaraz)|\bnon.pregnan|\bnicht.?schwanger|\bnon enceinte|\bnao (?:gravid|gestant)/;

interface Candidate {
  readonly interval: Interval;
  readonly label: string;
  readonly age: { from: number; to: number } | undefined;
}

/**
 * The interval that holds for a patient, out of a range as it is printed: by sex, by age, or the one called
 * normal. Undefined where none is printed, or where the report alone cannot tell, as for phases of a cycle.
 */
export function intervalFor(text: string, sign: DecimalSign, patient: Patient): Interval | undefined {
  const candidates = candidatesIn(text, sign);
  const fits = candidates.filter(
    (one) => fitsSex(one.label, patient.gender) && fitsAge(one, patient.ageYears),
  );
  if (fits.length <= 1) return fits[0]?.interval;
  // Of one who may be pregnant, the range of those who are not says nothing beside ranges of those who are.
  if (fits.some(({ label }) => NOT_PREGNANT.test(label)) && patient.gender !== 'male') return undefined;
  const sexed = fits.filter(({ label }) => MALE.test(label) || FEMALE.test(label));
  if (sexed.length === 1 && patient.gender !== 'other') return sexed[0]?.interval;
  const aged = fits.filter(({ age }) => age !== undefined);
  if (aged.length === 1 && patient.ageYears !== null) return aged[0]?.interval;
  for (const wanted of PREFERRED) {
    const named = fits.filter(
      ({ label }) =>
        wanted.test(label) && (label.startsWith('non') || !NOT_WANTED.test(label.replace(wanted, ' '))),
    );
    if (named.length === 1) return named[0]?.interval;
  }
  const plainOnes = fits.filter(({ label }) => !/[a-z]{3}/.test(label));
  return plainOnes.length === 1 ? plainOnes[0]?.interval : undefined;
}

function candidatesIn(text: string, sign: DecimalSign): Candidate[] {
  const found = intervalsIn(text, sign);
  const ages = new Map<FoundInterval, { from: number; to: number }>();
  for (const one of found) {
    const age = ageOf(one, text.slice(one.end));
    if (age) ages.set(one, age);
  }
  const real = found.filter((one) => !ages.has(one));
  const labelsFollow =
    real.length > 0 &&
    !/\p{L}{1,}/u.test(text.slice(0, real[0]?.begin)) &&
    /\p{L}/u.test(text.slice(real.at(-1)?.end));
  return real.map((one, index) => {
    const begin = labelsFollow ? one.end : (real[index - 1]?.end ?? 0);
    const end = labelsFollow ? (real[index + 1]?.begin ?? text.length) : one.begin;
    const own = found
      .filter((other) => ages.has(other) && other.begin >= begin && other.end <= end + 1)
      .at(-1);
    return { interval: one.interval, label: plain(text.slice(begin, end)), age: own && ages.get(own) };
  });
}

function ageOf({ interval }: FoundInterval, after: string): { from: number; to: number } | undefined {
  const [, years, months, days] = AGE_UNIT.exec(after) ?? [];
  const inYears = years ? 1 : months ? 1 / 12 : days ? 1 / 365 : undefined;
  if (inYears === undefined) return undefined;
  return { from: (interval.min ?? 0) * inYears, to: (interval.max ?? 200) * inYears };
}

function fitsSex(label: string, gender: Gender): boolean {
  const male = MALE.test(label);
  const female = FEMALE.test(label);
  if (male === female || gender === 'other') return true;
  return gender === 'male' ? male : female;
}

const fitsAge = ({ age }: Candidate, years: number | null): boolean =>
  age === undefined || years === null || (years >= Math.floor(age.from) && years <= Math.ceil(age.to));

/** The lines of a range put together: what is whole by itself stays apart. */
export function joinRange(lines: readonly string[], sign: DecimalSign): string {
  return lines.reduce((joined, line) => {
    if (joined === '') return line;
    const isWhole =
      intervalsIn(joined.split('; ').at(-1) ?? '', sign).length > 0 && intervalsIn(line, sign).length > 0;
    return /[-–,(]$/.test(joined) || !isWhole ? `${joined} ${line}` : `${joined}; ${line}`;
  }, '');
}
