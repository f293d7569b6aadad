import type { DecimalSign } from './numbers.ts';
import { isGestational } from './lexicon/range-scopes.ts';
import { normalizeText } from './text-normalization.ts';
import { type IntervalMatch, type PrintedInterval, findIntervals } from './range-text.ts';
import type { Gender } from './report-model.ts';

/** The patient whose range is looked up. */
export interface RangePatient {
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
const NOT_PREFERRED =
  /\b(?:pregnan|trimest|newborn|neonat|infan|child|kinder|ninos|enfant|bambin|crianc|cord|embaraz|gestant|schwanger|insuffic|insufic|deficien|toxic|borderline|limit|high|alto|hoch|risk|diabet|poor|severe|elev|increas|pre.?diab|abnormal|low|equivocal|indeterm|positive|smoker|recien nac)/;

const NOT_PREGNANT =
  /\bno[nt]? (?:pregnan|gravid|embaraz)|\bnon.pregnan|\bnicht.?schwanger|\bnon enceinte|\bnao (?:gravid|gestant)/;

const isOfPregnancy = (label: string): boolean => isGestational(label) && !NOT_PREGNANT.test(label);

interface IntervalCandidate {
  readonly interval: PrintedInterval;
  readonly label: string;
  readonly age: { from: number; to: number } | undefined;
}

/**
 * The interval that applies to a patient, from a printed range: by sex, by age, or the one called normal. Undefined if
 * none is printed or the report alone cannot decide, as with cycle phases.
 */
export function findPatientInterval(
  text: string,
  sign: DecimalSign,
  patient: RangePatient,
): PrintedInterval | undefined {
  const candidates = findCandidates(text, sign);
  // Whether and since when a patient is pregnant is unknown; in a table of weeks, a row may be labeled by its number.
  const isOfWeeks = isGestational(text);
  const fits = candidates.filter(
    (one) =>
      isForSex(one.label, patient.gender) &&
      isForAge(one, patient.ageYears) &&
      !(isOfWeeks && (isOfPregnancy(one.label) || !/\p{L}/u.test(one.label))),
  );
  if (isOfWeeks && patient.gender !== 'male' && candidates.some(({ label }) => NOT_PREGNANT.test(label)))
    return undefined;
  if (fits.length <= 1) return fits[0]?.interval;
  // For a patient who may be pregnant, the range for "not pregnant" decides nothing if there are ranges for pregnancy.
  if (fits.some(({ label }) => NOT_PREGNANT.test(label)) && patient.gender !== 'male') return undefined;
  const sexed = fits.filter(({ label }) => MALE.test(label) || FEMALE.test(label));
  if (sexed.length === 1 && patient.gender !== 'other') return sexed[0]?.interval;
  const aged = fits.filter(({ age }) => age !== undefined);
  if (aged.length === 1 && patient.ageYears !== null) return aged[0]?.interval;
  for (const wanted of PREFERRED) {
    const named = fits.filter(
      ({ label }) =>
        wanted.test(label) && (label.startsWith('non') || !NOT_PREFERRED.test(label.replace(wanted, ' '))),
    );
    if (named.length === 1) return named[0]?.interval;
  }
  const plainOnes = fits.filter(({ label }) => !/[a-z]{3}/.test(label));
  return plainOnes.length === 1 ? plainOnes[0]?.interval : undefined;
}

function findCandidates(text: string, sign: DecimalSign): IntervalCandidate[] {
  const found = findIntervals(text, sign);
  const ages = new Map<IntervalMatch, { from: number; to: number }>();
  for (const one of found) {
    const age = readAgeRange(one, text.slice(one.end));
    if (age) ages.set(one, age);
  }
  const real = found.filter((one) => !ages.has(one));
  const labelsFollow =
    real.length > 0 &&
    !/\p{L}{1,}/u.test(text.slice(0, real[0]?.begin)) &&
    (/\p{L}/u.test(text.slice(real.at(-1)?.end)) ||
      isLabeledBehind(text.slice(real[0]?.end, real[1]?.begin)));
  return real.map((one, index) => {
    const begin = labelsFollow ? one.end : (real[index - 1]?.end ?? 0);
    const end = labelsFollow ? (real[index + 1]?.begin ?? text.length) : one.begin;
    const own = found
      .filter((other) => ages.has(other) && other.begin >= begin && other.end <= end + 1)
      .at(-1);
    return {
      interval: one.interval,
      label: normalizeText(text.slice(begin, end)),
      age: own && ages.get(own),
    };
  });
}

/** "<36.0 Negative; 36.0-43.9": the words right behind the first interval are its own, unless a colon follows them. */
const isLabeledBehind = (between: string): boolean => /^\s*\p{L}[^:]*[;,]\s*$/u.test(between);

function readAgeRange({ interval }: IntervalMatch, after: string): { from: number; to: number } | undefined {
  const [, years, months, days] = AGE_UNIT.exec(after) ?? [];
  const inYears = years ? 1 : months ? 1 / 12 : days ? 1 / 365 : undefined;
  if (inYears === undefined) return undefined;
  return { from: (interval.min ?? 0) * inYears, to: (interval.max ?? 200) * inYears };
}

function isForSex(label: string, gender: Gender): boolean {
  const male = MALE.test(label);
  const female = FEMALE.test(label);
  if (male === female || gender === 'other') return true;
  return gender === 'male' ? male : female;
}

const isForAge = ({ age }: IntervalCandidate, years: number | null): boolean =>
  age === undefined || years === null || (years >= Math.floor(age.from) && years <= Math.ceil(age.to));

/** Joins the lines of a range; complete intervals stay separated by a semicolon. */
export function joinRangeLines(lines: readonly string[], sign: DecimalSign): string {
  return lines.reduce((joined, line) => {
    if (joined === '') return line;
    const isWhole =
      findIntervals(joined.split('; ').at(-1) ?? '', sign).length > 0 && findIntervals(line, sign).length > 0;
    return /[-–,(]$/.test(joined) || !isWhole ? `${joined} ${line}` : `${joined}; ${line}`;
  }, '');
}
