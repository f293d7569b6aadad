import type { components } from '../../api/openapi.d.ts';
import type { LineFields, ReportLine } from './report-draft.ts';

type LoincCode = components['schemas']['LoincCode'];
type LoincMatch = NonNullable<LineFields['loinc_matches']>[number];

export interface LoincChoice {
  readonly code: string;
  readonly name: string;
  readonly from: string;
  readonly synonyms: readonly string[];
}

/** Whether a code has the form and the check digit of LOINC: modulus 10, from the right, each second digit doubled. */
function isLoincCode(code: string): boolean {
  const [, digits, check] = /^(\d{1,7})-(\d)$/.exec(code) ?? [];
  if (digits === undefined) return false;
  const sum = [...digits].toReversed().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return (10 - (sum % 10)) % 10 === Number(check);
}

/** What the reader proposed, then what the search found, then a valid code that it does not know. */
export function choicesOf(line: ReportLine, found: readonly LoincCode[], text: string): LoincChoice[] {
  const typed = text.trim();
  const wanted = typed.toLowerCase();
  const proposed = (line.loinc_matches ?? [])
    .map(({ loinc_code: code, loinc_name: name, aliases, confidence_score: score }) => ({
      code,
      name,
      from: `proposed, ${Math.round(score * 100)} %`,
      synonyms: aliases,
    }))
    .filter(
      ({ code, name }) =>
        code.startsWith(wanted) || wanted.split(/\s+/).every((word) => name.toLowerCase().includes(word)),
    );
  const listed = found.map(({ code, long_common_name: name, example_units: units, synonyms }) => ({
    code,
    name,
    from: units.join(', '),
    synonyms,
  }));
  const entered = isLoincCode(typed)
    ? [{ code: typed, name: 'The code as typed', from: '', synonyms: [] }]
    : [];
  const all = [...proposed, ...listed, ...entered];
  return [...new Map(all.toReversed().map((one) => [one.code, one])).values()].toReversed();
}

/** What the API stores for a code that a person chose. */
export const toMatch = ({ code, name, synonyms }: LoincChoice): LoincMatch => ({
  loinc_code: code,
  loinc_name: name,
  display_name: name,
  aliases: [...synonyms],
  confidence_score: 1,
});

export const choiceOf = (line: ReportLine): LoincChoice | undefined => {
  const best = line.loinc_matches?.[0];
  return best && { code: best.loinc_code, name: best.loinc_name, from: 'proposed', synonyms: best.aliases };
};
