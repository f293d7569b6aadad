/*
 * Splits a printed range into its labeled sections (`M: 13-17 F: 12-15`, `Normal: <5.7; Diabetes: >6.4`,
 * `0-12 months: ...`) and selects the one for a patient. Labels are sexes, ages and grades. Returns null rather than a
 * guess: where the patient data do not decide, no section is selected.
 */

/** The patient data that a range may depend on. */
export interface ReferenceRangePatient {
  readonly gender?: string | null;
  /** In whole years. Ranges for infants also depend on months and days. */
  readonly ageYears?: number | null;
  readonly ageMonths?: number | null;
  readonly ageDays?: number | null;
}

interface RangeSection {
  readonly label: string;
  readonly text: string;
}

const SEX = String.raw`(?:adult |pre-?menopausal |post-?menopausal )?(?:males?|females?|men|women|man|woman|boys?|girls?|m|f)`;
const AGE_UNIT = String.raw`(?:years?(?: old)?|yrs?\.?|yo|y\/o|y|months?|mos?\.?|mths?|days?|d|weeks?|wks?)`;
const AGE = String.raw`(?:(?:age[sd]?:?|aged)\s?)?(?:[<>]=?|≥|≤|over|under|above|below|older than|younger than)?\s?\d{1,3}(?:\s?(?:${AGE_UNIT})?\s?(?:-|–|to)\s?\d{1,3})?\s?\+?\s?${AGE_UNIT}(?: and (?:older|over|above|younger|under))?`;
const AGE_WORD = String.raw`(?:adults?|children|child|pa?ediatric|infants?|newborns?|neonates?|elderly)`;
const NORMAL_GRADE = String.raw`(?:normal(?: range)?|optimal|desirable|acceptable|sufficien(?:t|cy)|negative|non-?diabetic|low(?:er)? risk|recommended|target|adequate|healthy|within normal limits)`;
const OTHER_GRADE = String.raw`(?:abnormal|pre-?diabet(?:es|ic)|diabet(?:es|ic)|borderline(?: high| low)?|near optimal|above optimal|very high|very low|high(?: risk)?|low|elevated|increased|deficien(?:t|cy)|insufficien(?:t|cy)|positive|equivocal|indeterminate|moderate(?: risk)?|average risk|toxic|critical|follicular(?: phase)?|luteal(?: phase)?|mid-?cycle|ovulat(?:ory|ion)(?: phase)?|post-?menopausal|pre-?menopausal|pregnan(?:t|cy)|(?:first|second|third|1st|2nd|3rd) trimester|smokers?|non-?smokers?|trough|peak|(?:\d{1,2}\s?(?:-|–|to)\s?)?(?:\d{1,2}\s?)?[ap]\.?m\.?|morning|evening)`;

const LABEL_PIECE = new RegExp(`^(?:${SEX}|${AGE}|${AGE_WORD}|${NORMAL_GRADE}|${OTHER_GRADE})$`, 'i');
const PIECE_WORDS_MAX = 6;
const LABEL_WORDS_MAX = 8;

/** Ends a label: `=` or `:`, except in `>=`, in `< OR =` and in a dilution such as `1:20`. */
const LABEL_END = /(?<![<>=])(?<!\bor\s?)(?:=|:(?!\s?\d)|(?<!\b1\s?):)/gi;
/** Without a colon, a sex is a label only directly before a bound: `M 13-17 F 12-15`. */
const BARE_LABEL = /(?:^|(?<=[\s;,|/()]))(males?|females?|men|women|m|f)\s(?=[<>≤≥\d.(]|up to|less|under)/gi;

/** Whether a printed range has sections by patient or grade, of which one must be selected. */
export const dependsOnPatient = (text: string): boolean => sectionsOf(text).sections.length > 0;

/**
 * The section of a printed range that applies to the patient; the whole text where there are no sections; null where
 * the patient data do not decide between them.
 */
export function selectSection(text: string, patient: ReferenceRangePatient): string | null {
  const { lead, sections } = sectionsOf(text);
  if (sections.length === 0) return text;
  const fitting = sections.filter(({ label }) => matchesPatient(label, patient));
  const [first, ...others] = fitting;
  if (first && others.every((other) => other.text === first.text)) return first.text;
  if (first) return mostSpecificSection(fitting, patient);
  return lead !== '' && sections.every(({ label }) => isGrade(label) || isDemographicLabel(label))
    ? lead
    : null;
}

interface SectionLabel {
  readonly text: string;
  readonly start: number;
  /** The offset where its range begins. */
  readonly end: number;
}

function sectionsOf(text: string): { lead: string; sections: RangeSection[] } {
  const labelled = labelsOf(text);
  const labels = labelled.length > 0 ? labelled : bareLabelsOf(text);
  const sections = labels.map(({ text: label, end }, at) => ({
    label: label.toLowerCase(),
    text: trimSection(text.slice(end, labels[at + 1]?.start)),
  }));
  return { lead: trimSection(text.slice(0, labels[0]?.start)), sections };
}

/** The labels before a colon or an equals sign. Other words there belong to the text. */
function labelsOf(text: string): SectionLabel[] {
  const labels: SectionLabel[] = [];
  for (const { index, 0: sign } of text.matchAll(LABEL_END)) {
    const from = labels.at(-1)?.end ?? 0;
    const words = [...text.slice(from, index).matchAll(/[^\s,;|/()]+/g)].slice(-LABEL_WORDS_MAX);
    const first = words.findIndex((_, at) => isLabel(words.slice(at).map(([word]) => word)));
    const start = from + (words[first]?.index ?? 0);
    if (first !== -1) labels.push({ text: text.slice(start, index), start, end: index + sign.length });
  }
  return labels;
}

const bareLabelsOf = (text: string): SectionLabel[] =>
  [...text.matchAll(BARE_LABEL)].map((match) => ({
    text: match[1] ?? '',
    start: match.index,
    end: match.index + match[0].length,
  }));

/** One or several pieces, as `Adult Male`. Tried word by word, so the cost is linear in the length of the text. */
function isLabel(words: readonly string[]): boolean {
  if (words.length === 0) return false;
  for (let count = Math.min(words.length, PIECE_WORDS_MAX); count > 0; count -= 1) {
    const rest = words.slice(count);
    if (LABEL_PIECE.test(words.slice(0, count).join(' ')) && (rest.length === 0 || isLabel(rest)))
      return true;
  }
  return false;
}

/** Removes section separators at the end and an unbalanced closing parenthesis. */
function trimSection(text: string): string {
  const bare = text.replace(/[\s,;|/(]+$/, '').trim();
  const isOpen = bare.split(')').length > bare.split('(').length;
  return isOpen ? bare.replace(/\)$/, '').trim() : bare;
}

/** Of several matching sections, the one that names more of sex and age wins; null where they still differ. */
function mostSpecificSection(
  fitting: readonly RangeSection[],
  patient: ReferenceRangePatient,
): string | null {
  const named = ({ label }: RangeSection) =>
    Number(sexOf(label) !== undefined) + Number(ageOf(label) !== undefined && patient.ageYears != null);
  const most = Math.max(...fitting.map(named));
  const [first, ...others] = fitting.filter((section) => named(section) === most);
  return first && others.every(({ text }) => text === first.text) ? first.text : null;
}

const delimited = (source: string) => new RegExp(`(?:^|[\\s,/(])${source}(?:$|[\\s,/)])`, 'i');
const IS_OTHER = delimited(OTHER_GRADE);
const IS_GOOD = delimited(NORMAL_GRADE);

const isGrade = (label: string) => IS_OTHER.test(label) && !IS_GOOD.test(label);
const isDemographicLabel = (label: string) => sexOf(label) !== undefined || ageOf(label) !== undefined;

function matchesPatient(label: string, patient: ReferenceRangePatient): boolean {
  if (isGrade(label)) return false;
  const sex = sexOf(label);
  if (sex !== undefined && sex !== patient.gender) return false;
  const ages = ageOf(label);
  return ages === undefined || isInAgeRange(ages, patient);
}

function sexOf(label: string): 'male' | 'female' | undefined {
  if (delimited('(?:females?|women|woman|girls?|f)').test(label)) return 'female';
  return delimited('(?:males?|men|man|boys?|m)').test(label) ? 'male' : undefined;
}

type AgeUnit = 'years' | 'months' | 'weeks' | 'days';
interface Age {
  readonly count: number;
  readonly unit: AgeUnit;
}

/** From `from` (inclusive) to `until` (exclusive); null is open-ended. */
interface AgeRange {
  readonly from: Age;
  readonly until: Age | null;
}

const years = (count: number): Age => ({ count, unit: 'years' });
const days = (count: number): Age => ({ count, unit: 'days' });

// prettier-ignore
const AGE_WORDS: readonly [RegExp, AgeRange][] = [
  [delimited('(?:adults?)'),                      { from: years(18), until: null }],
  [delimited('(?:children|child|pa?ediatric|boys?|girls?)'), { from: years(0), until: years(18) }],
  [delimited('(?:infants?)'),                     { from: years(0), until: years(1) }],
  [delimited('(?:newborns?|neonates?)'),          { from: days(0), until: days(29) }],
  [delimited('(?:elderly)'),                      { from: years(65), until: null }],
];

/** Compares each bound in its printed unit, because months differ in length. */
function isInAgeRange({ from, until }: AgeRange, patient: ReferenceRangePatient): boolean {
  const [old, young] = [ageIn(from.unit, patient), until && ageIn(until.unit, patient)];
  return old !== null && old >= from.count && (until === null || (young !== null && young < until.count));
}

/** In whole units. */
function ageIn(
  unit: AgeUnit,
  { ageYears = null, ageMonths = null, ageDays = null }: ReferenceRangePatient,
): number | null {
  if (unit === 'years' || ageYears === null) return ageYears;
  if (unit === 'months') return ageMonths ?? ageYears * 12;
  const inDays = ageDays ?? ageYears * 365;
  return unit === 'weeks' ? Math.floor(inDays / 7) : inDays;
}

const PRINTED_AGE = new RegExp(
  String.raw`([<>]=?|≥|≤|over|under|above|below|older than|younger than)?\s?(\d{1,3})(?:\s?(${AGE_UNIT})?\s?(?:-|–|to)\s?(\d{1,3}))?\s?(\+)?\s?(${AGE_UNIT})( and (?:older|over|above)| and (?:younger|under))?`,
  'i',
);

function ageOf(label: string): AgeRange | undefined {
  const printed = PRINTED_AGE.exec(label);
  if (printed) return printedAges(printed);
  return AGE_WORDS.find(([word]) => word.test(label))?.[1];
}

function printedAges([
  ,
  sign,
  first,
  firstUnit,
  last,
  plus,
  lastUnit = 'y',
  side,
]: RegExpExecArray): AgeRange {
  const unit = unitOf(lastUnit);
  const none = { count: 0, unit };
  const [low, next] = [0, 1].map((more) => ({ count: Number(first) + more, unit })) as [Age, Age];
  if (last !== undefined) {
    const from = { ...low, unit: firstUnit === undefined ? unit : unitOf(firstUnit) };
    return { from, until: { count: Number(last) + 1, unit } };
  }
  if (plus !== undefined || (side !== undefined && /older|over|above/i.test(side)))
    return { from: low, until: null };
  if (side !== undefined) return { from: none, until: next };
  if (sign === undefined) return { from: low, until: next };
  if (/^(?:>=|≥)$/.test(sign)) return { from: low, until: null };
  // `over 60` would mean 61 and older, but laboratories print `>18 years` for adults, who include 18.
  if (/^(?:>|over|above|older than)$/i.test(sign)) return { from: low, until: null };
  return { from: none, until: /^(?:<=|≤)$/.test(sign) ? next : low };
}

function unitOf(printed: string): AgeUnit {
  if (/^y/i.test(printed)) return 'years';
  if (/^m/i.test(printed)) return 'months';
  return /^w/i.test(printed) ? 'weeks' : 'days';
}
