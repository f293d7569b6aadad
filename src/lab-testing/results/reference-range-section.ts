/** What a range may depend on. */
export interface Patient {
  readonly gender?: string | null;
  /** In whole years; those of infants depend on months and days, too. */
  readonly ageYears?: number | null;
  readonly ageMonths?: number | null;
  readonly ageDays?: number | null;
}

interface Section {
  readonly label: string;
  readonly text: string;
}

const SEX = String.raw`(?:adult |pre-?menopausal |post-?menopausal )?(?:males?|females?|men|women|man|woman|boys?|girls?|m|f)`;
const AGE_UNIT = String.raw`(?:years?(?: old)?|yrs?\.?|yo|y\/o|y|months?|mos?\.?|mths?|days?|d|weeks?|wks?)`;
const AGE = String.raw`(?:(?:age[sd]?:?|aged)\s?)?(?:[<>]=?|≥|≤|over|under|above|below|older than|younger than)?\s?\d{1,3}(?:\s?(?:${AGE_UNIT})?\s?(?:-|–|to)\s?\d{1,3})?\s?\+?\s?${AGE_UNIT}(?: and (?:older|over|above|younger|under))?`;
const AGE_WORD = String.raw`(?:adults?|children|child|pa?ediatric|infants?|newborns?|neonates?|elderly)`;
const GOOD = String.raw`(?:normal(?: range)?|optimal|desirable|acceptable|sufficien(?:t|cy)|negative|non-?diabetic|low(?:er)? risk|recommended|target|adequate|healthy|within normal limits)`;
const OTHER = String.raw`(?:abnormal|pre-?diabet(?:es|ic)|diabet(?:es|ic)|borderline(?: high| low)?|near optimal|above optimal|very high|very low|high(?: risk)?|low|elevated|increased|deficien(?:t|cy)|insufficien(?:t|cy)|positive|equivocal|indeterminate|moderate(?: risk)?|average risk|toxic|critical|follicular(?: phase)?|luteal(?: phase)?|mid-?cycle|ovulat(?:ory|ion)(?: phase)?|post-?menopausal|pre-?menopausal|pregnan(?:t|cy)|(?:first|second|third|1st|2nd|3rd) trimester|smokers?|non-?smokers?|trough|peak|(?:\d{1,2}\s?(?:-|–|to)\s?)?(?:\d{1,2}\s?)?[ap]\.?m\.?|morning|evening)`;

const PIECE = new RegExp(`^(?:${SEX}|${AGE}|${AGE_WORD}|${GOOD}|${OTHER})$`, 'i');
const PIECE_WORDS_MAX = 6;
const LABEL_WORDS_MAX = 8;

/** What ends a label; neither the sign of `>=` and `< OR =`, nor that of a dilution, `1:20`. */
const LABEL_END = /(?<![<>=])(?<!\bor\s?)(?:=|:(?!\s?\d)|(?<!\b1\s?):)/gi;
/** Without a colon a sex is a label only where a bound follows at once: `M 13-17 F 12-15`. */
const BARE_LABEL = /(?:^|(?<=[\s;,|/()]))(males?|females?|men|women|m|f)\s(?=[<>≤≥\d.(]|up to|less|under)/gi;

/** Whether a printed range has parts for some patients or grades, of which one has to be chosen. */
export const dependsOnPatient = (text: string): boolean => sectionsOf(text).sections.length > 0;

/**
 * The part of a printed range that is this patient's, the whole where it does not depend on anything; null where it
 * does, and what is known of the patient does not choose one.
 */
export function sectionFor(text: string, patient: Patient): string | null {
  const { lead, sections } = sectionsOf(text);
  if (sections.length === 0) return text;
  const fitting = sections.filter(({ label }) => fits(label, patient));
  const [first, ...others] = fitting;
  if (first && others.every((other) => other.text === first.text)) return first.text;
  if (first) return narrowest(fitting, patient);
  return lead !== '' && sections.every(({ label }) => isGrade(label) || isOfAPerson(label)) ? lead : null;
}

interface Label {
  readonly text: string;
  readonly start: number;
  /** Where its range begins. */
  readonly end: number;
}

function sectionsOf(text: string): { lead: string; sections: Section[] } {
  const labelled = labelsOf(text);
  const labels = labelled.length > 0 ? labelled : bareLabelsOf(text);
  const sections = labels.map(({ text: label, end }, at) => ({
    label: label.toLowerCase(),
    text: trimmed(text.slice(end, labels[at + 1]?.start)),
  }));
  return { lead: trimmed(text.slice(0, labels[0]?.start)), sections };
}

/** The labels before a colon or an equals sign; what stands there and is none belongs to the text. */
function labelsOf(text: string): Label[] {
  const labels: Label[] = [];
  for (const { index, 0: sign } of text.matchAll(LABEL_END)) {
    const from = labels.at(-1)?.end ?? 0;
    const words = [...text.slice(from, index).matchAll(/[^\s,;|/()]+/g)].slice(-LABEL_WORDS_MAX);
    const first = words.findIndex((_, at) => isLabel(words.slice(at).map(([word]) => word)));
    const start = from + (words[first]?.index ?? 0);
    if (first !== -1) labels.push({ text: text.slice(start, index), start, end: index + sign.length });
  }
  return labels;
}

const bareLabelsOf = (text: string): Label[] =>
  [...text.matchAll(BARE_LABEL)].map((match) => ({
    text: match[1] ?? '',
    start: match.index,
    end: match.index + match[0].length,
  }));

/** One or several pieces, as `Adult Male`; tried word by word, so that a long text costs no more than its length. */
function isLabel(words: readonly string[]): boolean {
  if (words.length === 0) return false;
  for (let count = Math.min(words.length, PIECE_WORDS_MAX); count > 0; count -= 1) {
    const rest = words.slice(count);
    if (PIECE.test(words.slice(0, count).join(' ')) && (rest.length === 0 || isLabel(rest))) return true;
  }
  return false;
}

/** Without what parts the sections, and without a parenthesis whose other half is outside. */
function trimmed(text: string): string {
  const bare = text.replace(/[\s,;|/(]+$/, '').trim();
  const isOpen = bare.split(')').length > bare.split('(').length;
  return isOpen ? bare.replace(/\)$/, '').trim() : bare;
}

/** With an age and a sex in play the section that names more of the patient is the closer one. */
function narrowest(fitting: readonly Section[], patient: Patient): string | null {
  const named = ({ label }: Section) =>
    Number(sexOf(label) !== undefined) + Number(ageOf(label) !== undefined && patient.ageYears != null);
  const most = Math.max(...fitting.map(named));
  const [first, ...others] = fitting.filter((section) => named(section) === most);
  return first && others.every(({ text }) => text === first.text) ? first.text : null;
}

const only = (source: string) => new RegExp(`(?:^|[\\s,/(])${source}(?:$|[\\s,/)])`, 'i');
const IS_OTHER = only(OTHER);
const IS_GOOD = only(GOOD);

const isGrade = (label: string) => IS_OTHER.test(label) && !IS_GOOD.test(label);
const isOfAPerson = (label: string) => sexOf(label) !== undefined || ageOf(label) !== undefined;

function fits(label: string, patient: Patient): boolean {
  if (isGrade(label)) return false;
  const sex = sexOf(label);
  if (sex !== undefined && sex !== patient.gender) return false;
  const ages = ageOf(label);
  return ages === undefined || isWithin(ages, patient);
}

function sexOf(label: string): 'male' | 'female' | undefined {
  if (only('(?:females?|women|woman|girls?|f)').test(label)) return 'female';
  return only('(?:males?|men|man|boys?|m)').test(label) ? 'male' : undefined;
}

type Unit = 'years' | 'months' | 'weeks' | 'days';
interface Age {
  readonly count: number;
  readonly unit: Unit;
}

/** From `from` to before `until`; null where it is open. */
interface Ages {
  readonly from: Age;
  readonly until: Age | null;
}

const years = (count: number): Age => ({ count, unit: 'years' });
const days = (count: number): Age => ({ count, unit: 'days' });

// prettier-ignore
const AGE_WORDS: readonly [RegExp, Ages][] = [
  [only('(?:adults?)'),                      { from: years(18), until: null }],
  [only('(?:children|child|pa?ediatric|boys?|girls?)'), { from: years(0), until: years(18) }],
  [only('(?:infants?)'),                     { from: years(0), until: years(1) }],
  [only('(?:newborns?|neonates?)'),          { from: days(0), until: days(29) }],
  [only('(?:elderly)'),                      { from: years(65), until: null }],
];

/** Each bound is compared in the unit that it is printed in: a month has not always as many days. */
function isWithin({ from, until }: Ages, patient: Patient): boolean {
  const [old, young] = [ageIn(from.unit, patient), until && ageIn(until.unit, patient)];
  return old !== null && old >= from.count && (until === null || (young !== null && young < until.count));
}

/** In whole units. */
function ageIn(unit: Unit, { ageYears = null, ageMonths = null, ageDays = null }: Patient): number | null {
  if (unit === 'years' || ageYears === null) return ageYears;
  if (unit === 'months') return ageMonths ?? ageYears * 12;
  const inDays = ageDays ?? ageYears * 365;
  return unit === 'weeks' ? Math.floor(inDays / 7) : inDays;
}

const PRINTED_AGE = new RegExp(
  String.raw`([<>]=?|≥|≤|over|under|above|below|older than|younger than)?\s?(\d{1,3})(?:\s?(${AGE_UNIT})?\s?(?:-|–|to)\s?(\d{1,3}))?\s?(\+)?\s?(${AGE_UNIT})( and (?:older|over|above)| and (?:younger|under))?`,
  'i',
);

function ageOf(label: string): Ages | undefined {
  const printed = PRINTED_AGE.exec(label);
  if (printed) return printedAges(printed);
  return AGE_WORDS.find(([word]) => word.test(label))?.[1];
}

function printedAges([, sign, first, firstUnit, last, plus, lastUnit = 'y', side]: RegExpExecArray): Ages {
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
  // Whole years: who is over 60 is 61, but `>18 years` is printed for adults, who are 18.
  if (/^(?:>|over|above|older than)$/i.test(sign)) return { from: low, until: null };
  return { from: none, until: /^(?:<=|≤)$/.test(sign) ? next : low };
}

function unitOf(printed: string): Unit {
  if (/^y/i.test(printed)) return 'years';
  if (/^m/i.test(printed)) return 'months';
  return /^w/i.test(printed) ? 'weeks' : 'days';
}
