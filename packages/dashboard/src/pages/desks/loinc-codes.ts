import type { components } from '../../api/openapi.d.ts';
import type { LineFields, ReportLine } from './report-draft.ts';

type Marker = components['schemas']['GetMarkersResponse']['markers'][number];
type LoincMatch = NonNullable<LineFields['loinc_matches']>[number];

export interface LoincChoice {
  readonly code: string;
  readonly name: string;
  readonly from: string;
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

const CHOICES_MAX = 40;

export function searchCodes(line: ReportLine, markers: readonly Marker[], text: string): LoincChoice[] {
  const proposed = (line.loinc_matches ?? []).map(
    ({ loinc_code: code, loinc_name: name, confidence_score: score }) => ({
      code,
      name,
      from: `proposed, ${Math.round(score * 100)} %`,
    }),
  );
  const known = markers.flatMap((marker) =>
    (('expected_results' in marker ? marker.expected_results : null) ?? []).flatMap(({ loinc }) =>
      loinc === null ? [] : [{ code: loinc.code, name: loinc.name, from: 'catalog' }],
    ),
  );
  const typed = isLoincCode(text.trim()) ? [{ code: text.trim(), name: 'The code as typed', from: '' }] : [];
  const wanted = text.trim().toLowerCase();
  const isProposal = proposed.some(({ code }) => code === text.trim());
  const isWanted = ({ code, name }: LoincChoice) =>
    wanted === '' ||
    isProposal ||
    code.startsWith(wanted) ||
    words(wanted).every((word) => name.toLowerCase().includes(word));
  const all = [...proposed.filter(isWanted), ...known.filter(isWanted), ...typed];
  return [...new Map(all.toReversed().map((one) => [one.code, one])).values()]
    .toReversed()
    .slice(0, CHOICES_MAX);
}

const words = (text: string): string[] => text.split(/\s+/);

/** What the API stores for a code that a person chose. */
export const toMatch = ({ code, name }: LoincChoice): LoincMatch => ({
  loinc_code: code,
  loinc_name: name,
  display_name: name,
  aliases: [],
  confidence_score: 1,
});

export const choiceOf = (line: ReportLine): LoincChoice | undefined => {
  const best = line.loinc_matches?.[0];
  return best && { code: best.loinc_code, name: best.loinc_name, from: 'proposed' };
};
