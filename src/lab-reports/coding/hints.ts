import { allergenCodeIn, isAboutAllergens } from './allergens.ts';
import { isOfAnalyser } from './analyser-names.ts';
import type { CodableLine, CodingContext } from './codable-line.ts';
import type { Specimen } from './code.ts';
import { type Dimension, dimensionsOf } from './dimension.ts';
import { headingOf, saysVenous, specimenOfLine } from './specimens.ts';
import { type Technique, techniquesIn } from './techniques.ts';
import type { NameLanguage } from './terms.ts';

export type { CodableLine, CodingContext } from './codable-line.ts';

/** What a line says besides the name of the analyte. */
export interface Hints {
  readonly dimensions: readonly Dimension[];
  readonly hasUnit: boolean;
  readonly isNumber: boolean;
  readonly isTiter: boolean;
  readonly specimen: Specimen | null;
  /** The specimen is said by the name or the unit, not only by a heading. */
  readonly isSpecimenSure: boolean;
  readonly isTimed: boolean;
  readonly isCalculated: boolean;
  readonly isDirect: boolean;
  readonly isSemiQuantitative: boolean;
  readonly isHighSensitivity: boolean;
  readonly isFasting: boolean;
  /** From a vein, said in so many words. */
  readonly isVenous: boolean;
  /** Measured in whole blood by an analyser of blood gases. */
  readonly isOfAnalyser: boolean;
  /** Found by its DNA: a PCR copies it, where other amplifications copy RNA. */
  readonly isByDna: boolean;
  /** The value names a group of blood together with its rhesus factor. */
  readonly isGroupWithRhesus: boolean;
  /** A rate by the minute, and not by the day. */
  readonly isPerMinute: boolean;
  /** A mass in a mass, as of milligrams in a gram. */
  readonly isMassInMass: boolean;
  /** IgE against what an allergen's code stands for. */
  readonly isOfAllergen: boolean;
  /** The filtration is by the CKD-EPI formula of before 2021. */
  readonly isOfOlderFormula: boolean;
  /** Ways of measuring that the name or a heading tells. */
  readonly techniques: readonly Technique[];
  readonly language: NameLanguage | null;
}

// prettier-ignore
const TIMED = /\b(?:24 ?(?:h|hr|hrs|hour|hours|horas|heures|std|stunden|ore)|24h|sammelurin)\b/;

/** Said of the sample, in six languages; LOINC has codes of their own for it. */
const FASTING =
  /(?<!\bnon )\b(?:fasting|fbs|fbg|fpg|ac|(?<!\bnon a )jeun|ayunas?|ayuno|(?:glu[ck]os\w*|gl[iu]cemia) basale?|(?:glu[ck]ose|blutzucker) nu|(?<!\bnon a )digiuno|nuchtern\w*|jejum)\b/;

/** "A Rh pos", "O negative", "AB+": what is printed of the group alone has no rhesus factor behind it. */
const GROUP_WITH_RHESUS = /^(?:a[12]?b?|b|[o0])(?:[\s,;/(]*(?:rh|pos|neg|d\b)|\s?\(?[+−-](?!\s*\d))/i;

/** Where the formula is named and not as that of 2021, it is the one of 2009. */
function isOfOlderFormula(simple: string): boolean {
  const year = /\bckd epi (?:\w+ )?(20\d\d)\b|\b(20\d\d) ckd epi\b/.exec(simple);
  return year ? !year.includes('2021') : /\bckd\b/.test(simple);
}

const isTiter = (value: string): boolean => /^[<>≤≥]?\s*1\s*[:/]\s*\d+/.test(value);

export function hintsOf(line: CodableLine, simple: string, context: CodingContext): Hints {
  const { specimen, isSure } = specimenOfLine(line, simple, context);
  const unit = line.unit?.trim() ?? '';
  const dimensions = unit === '' ? dimensionsOfName(line.testName, simple) : dimensionsOf(unit);
  const around = `${simple} ${line.section ?? ''} ${line.panel ?? ''}`.toLowerCase();
  return {
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
    isVenous: saysVenous(around),
    isOfAnalyser: isOfAnalyser(line.testName),
    isByDna: /\b(?:pcr|dna|adn|dns)\b/.test(simple),
    isGroupWithRhesus: GROUP_WITH_RHESUS.test(line.printedValue.trim()),
    isPerMinute: /\/\s?min/i.test(unit),
    isMassInMass: /^[mµμu]?g\s*\/\s*k?g/i.test(unit) && !/micro/.test(simple),
    isOfAllergen: isAboutAllergens(line, simple) && allergenCodeIn(simple.split(' ')) !== undefined,
    isOfOlderFormula: isOfOlderFormula(simple),
    techniques: [
      ...techniquesIn(simple),
      ...[line.section, line.panel, line.method ?? null].flatMap((text) => headingOf(text).techniques),
    ],
    language: context.language ?? null,
  };
}

/** "3+" grades what is there; the nought of a group of blood is a letter. */
const isNumber = ({ value, printedValue }: CodableLine): boolean =>
  value !== null ||
  (/^[<>≤≥]?=?\s*\d(?!\s?[+])/.test(printedValue.trim()) && !GROUP_WITH_RHESUS.test(printedValue.trim()));

const RATIO = /\b(?:ratio|quotient|razon|relacion|cociente|rapport|rapporto|relacao|razao)\b/;

/** A name may say what is counted where the unit is missing. */
function dimensionsOfName(name: string, simple: string): readonly Dimension[] {
  if (RATIO.test(simple)) return ['ratio', 'per_creatinine', 'fraction'];
  if (/%/.test(name) || /\b(?:percent|prozent)\b/.test(simple)) return ['fraction'];
  if (/\brelativ\w*\b/.test(simple)) return ['fraction', 'ratio'];
  if (/\blog(?:10)?\b/.test(simple)) return ['logarithm'];
  if (/\b(?:hpf|lpf|campo|champ|gesichtsfeld)\b/.test(simple)) return ['area_count'];
  return /#/.test(name) || /\b(?:abs|absolute?|absolut\w*|assolut\w*|absolu\w*)\b/.test(simple)
    ? ['count']
    : [];
}
