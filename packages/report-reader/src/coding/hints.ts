import { findAllergenCode, isAboutAllergens } from './allergens.ts';
import { isBloodGasName } from './blood-gas-names.ts';
import type { CodableLine, CodingContext } from './codable-line.ts';
import type { LoincSpecimen } from './code.ts';
import { type UnitDimension, dimensionsOf } from './dimension.ts';
import { plainText } from './plain-name.ts';
import { readHeading, mentionsVenous, specimenOfLine } from './specimens.ts';
import { type MeasurementTechnique, findTechniques } from './techniques.ts';
import type { NameLanguage } from './terms.ts';

export type { CodableLine } from './codable-line.ts';

/** What a line tells in addition to the name of the analyte. */
export interface LineHints {
  /** The words of the name, in lower case without accents. */
  readonly words: readonly string[];
  readonly dimensions: readonly UnitDimension[];
  readonly hasUnit: boolean;
  readonly isNumber: boolean;
  readonly isTiter: boolean;
  readonly specimen: LoincSpecimen | null;
  /** Whether the name or the unit states the specimen, not only a heading. */
  readonly isSpecimenSure: boolean;
  readonly isTimed: boolean;
  readonly isCalculated: boolean;
  readonly isDirect: boolean;
  readonly isSemiQuantitative: boolean;
  readonly isHighSensitivity: boolean;
  readonly isFasting: boolean;
  /** Explicitly venous. */
  readonly isVenous: boolean;
  /** Measured in whole blood by a blood gas analyzer. */
  readonly isOfAnalyser: boolean;
  /** Detected by DNA, as in a PCR; other amplification methods detect RNA. */
  readonly isByDna: boolean;
  /** The value is an ABO blood group with its Rh factor. */
  readonly isGroupWithRhesus: boolean;
  /** The name is one of a blood group or its Rh factor, and the value is no amount. */
  readonly isOfBloodGroup: boolean;
  /** The name or a heading is one of microbiology. */
  readonly isOfMicrobiology: boolean;
  /** A heading is that of an antibiogram, or the value is its grade: S, I, R. */
  readonly isOfAntibiogram: boolean;
  /** A rate per minute, not per day. */
  readonly isPerMinute: boolean;
  /** A mass ratio, such as mg/g. */
  readonly isMassInMass: boolean;
  /** Specific IgE, identified by an allergen code. */
  readonly isOfAllergen: boolean;
  /** eGFR by a CKD-EPI formula from before 2021. */
  readonly isOfOlderFormula: boolean;
  /** Measurement techniques named by the line or a heading. */
  readonly techniques: readonly MeasurementTechnique[];
  readonly language: NameLanguage | null;
}

// prettier-ignore
const TIMED = /\b(?:24 ?(?:h|hr|hrs|hour|hours|horas|heures|std|stunden|ore)|24h|sammelurin)\b/;

/** Fasting specimens, in six languages; LOINC has separate codes for them. */
const FASTING =
  /(?<!\bnon )\b(?:fasting|fbs|fbg|fpg|ac|(?<!\bnon a )jeun|ayunas?|ayuno|(?:glu[ck]os\w*|gl[iu]cemia) basale?|(?:glu[ck]ose|blutzucker) nu|(?<!\bnon a )digiuno|nuchtern\w*|jejum)\b/;

/** "A Rh pos", "O negative", "AB+": a blood group followed by its Rh factor. */
const GROUP_WITH_RHESUS = /^(?:a[12]?b?|b|[o0])(?:[\s,;/(]*(?:rh|pos|neg|d\b)|\s?\(?[+−-](?!\s*\d))/i;

/** Names of blood groups, in six languages. */
const BLOOD_GROUP =
  /\b(?:blood (?:group\w*|gp|grp|typ\w*)|(?:abo|rh|rhesus)(?: (?:d|abo|rh|and|group\w*|typ\w*|factor\w*|status))*$|blutgruppe\w*|rhesus\w*|groupe (?:sanguin|abo)|grupo (?:sanguineo|abo)|tipo sanguineo|gruppo (?:sanguigno|abo)|fact(?:or|eur) rh\w*|fattore rh\w*|fator rh\w*)/;

const MICROBIOLOGY =
  /\b(?:micro ?biol\w*|mikrobiol\w*|bacteriol\w*|bakteriol\w*|batteriol\w*|mycolog\w*|cultur\w*|cultiv\w*|coltur\w*|kultur\w*|\w+kultur|antibiogram\w*|suscept\w*|sensitivit\w*|sensibil\w*|resisten\w*|isolate\w*|organism\w*|mic)\b/;

const ANTIBIOGRAM = /\b(?:antibiogram\w*|suscept\w*|sensitivit\w*|sensibil\w*|resisten\w*)\b/;

const SUSCEPTIBILITY =
  /^(?:s|i|r|sensitive|susceptible|resistant|intermediate|sensible|resistente?|r[ée]sistant|empfindlich|sens[ií]vel)$/i;

/** A CKD formula without the year 2021 is the one of 2009. */
function isOfOlderFormula(simple: string): boolean {
  const year = /\bckd epi (?:\w+ )?(20\d\d)\b|\b(20\d\d) ckd epi\b/.exec(simple);
  return year ? !year.includes('2021') : /\bckd\b/.test(simple);
}

const isTiter = (value: string): boolean => /^[<>≤≥]?\s*1\s*[:/]\s*\d+/.test(value);

export function extractHints(line: CodableLine, simple: string, context: CodingContext): LineHints {
  const { specimen, isSure } = specimenOfLine(line, simple, context);
  const unit = line.unit?.trim() ?? '';
  const dimensions = unit === '' ? dimensionsOfName(line.testName, simple) : dimensionsOf(unit);
  const around = `${simple} ${line.section ?? ''} ${line.panel ?? ''}`.toLowerCase();
  return {
    words: simple.split(' '),
    dimensions: isTiter(line.printedValue) ? ['titer'] : dimensions,
    hasUnit: unit !== '' && dimensions.length > 0,
    isNumber: isNumber(line),
    isTiter: isTiter(line.printedValue),
    specimen,
    isSpecimenSure: isSure,
    isTimed: TIMED.test(around) || dimensions.some((one) => one === 'mass_rate' || one === 'substance_rate'),
    isCalculated: /\b(?:calc\w*|cal|berechnet|rechnerisch|friedewald|nih|calculad\w+|estimad\w+)\b/.test(
      simple,
    ),
    isDirect: /\b(?:direct|directo|direkt|diretto|direto|measured|dose|homogeneous)\b/.test(simple),
    isSemiQuantitative: /\b(?:semi|qual|qualitative|cualitativ\w+|screen)\b/.test(simple),
    isHighSensitivity: /\b(?:hs|high|ultra\w*|hochsens\w*|sensib\w*|sensitiv\w*|us|cardiac)\b/.test(simple),
    isFasting: FASTING.test(simple),
    isVenous: mentionsVenous(around),
    isOfAnalyser: isBloodGasName(line.testName),
    isByDna: /\b(?:pcr|dna|adn|dns)\b/.test(simple),
    isGroupWithRhesus: GROUP_WITH_RHESUS.test(line.printedValue.trim()),
    isOfBloodGroup: BLOOD_GROUP.test(simple) && !(isNumber(line) && unit !== ''),
    isOfMicrobiology: MICROBIOLOGY.test(plainText(around)),
    isOfAntibiogram:
      SUSCEPTIBILITY.test(line.printedValue.trim()) ||
      ANTIBIOGRAM.test(plainText(`${line.section ?? ''} ${line.panel ?? ''}`)),
    isPerMinute: /\/\s?min/i.test(unit),
    isMassInMass: /^[mµμu]?g\s*\/\s*k?g/i.test(unit) && !/micro/.test(simple),
    isOfAllergen: isAboutAllergens(line, simple) && findAllergenCode(simple.split(' ')) !== undefined,
    isOfOlderFormula: isOfOlderFormula(simple),
    techniques: [
      ...findTechniques(simple),
      ...[line.section, line.panel, line.method ?? null].flatMap((text) => readHeading(text).techniques),
    ],
    language: context.language ?? null,
  };
}

/** "3+" is a grade, and the 0 of a blood group is a letter; neither is a number. */
const isNumber = ({ value, printedValue }: CodableLine): boolean =>
  value !== null ||
  (/^[<>≤≥]?=?\s*\d(?!\s?[+])/.test(printedValue.trim()) && !GROUP_WITH_RHESUS.test(printedValue.trim()));

const RATIO = /\b(?:ratio|quotient|razon|relacion|cociente|rapport|rapporto|relacao|razao)\b/;

/** Without a unit, the name may imply the dimension. */
function dimensionsOfName(name: string, simple: string): readonly UnitDimension[] {
  if (RATIO.test(simple)) return ['ratio', 'per_creatinine', 'fraction'];
  if (/%/.test(name) || /\b(?:percent|prozent)\b/.test(simple)) return ['fraction'];
  if (/\brelativ\w*\b/.test(simple)) return ['fraction', 'ratio'];
  if (/\blog(?:10)?\b/.test(simple)) return ['logarithm'];
  if (/\b(?:hpf|lpf|campo|champ|gesichtsfeld)\b/.test(simple)) return ['area_count'];
  return /#/.test(name) || /\b(?:abs|absolute?|absolut\w*|assolut\w*|absolu\w*)\b/.test(simple)
    ? ['count']
    : [];
}
