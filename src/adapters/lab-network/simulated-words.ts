import type { ExpectedResult, ReportedResult } from './port.ts';
import { chanceOf } from './simulated-draw.ts';

type Type = ReportedResult['type'];
type Word = ReportedResult['interpretation'];

/** What is told of one analyte: its value, where it has one, and what that means. */
export interface Finding {
  readonly orderId: string;
  readonly expected: ExpectedResult;
  readonly value: number | undefined;
  readonly word: Word;
}

export type Said = Pick<ReportedResult, 'result' | 'value' | 'unit' | 'referenceRange' | 'interpretation'>;

export const usualType = ({ kind }: ExpectedResult): Type =>
  kind === 'numeric' ? 'numeric' : kind === 'coded' ? 'coded_value' : 'comment';

/** A finding as the laboratory would report it in that type. */
export function saidOf(type: Type, finding: Finding): Said {
  const { expected, word } = finding;
  const isNumber = expected.kind === 'numeric';
  // Where nothing is to be said, it is because there is no range to say it by.
  const referenceRange =
    word === 'unknown' ? null : isNumber ? rangeText(expected) : (expected.rangeText ?? expected.normalText);
  const base = { referenceRange, interpretation: word };
  switch (type) {
    case 'numeric': {
      const value = finding.value ?? (isUnremarkable(word) ? 0 : 4);
      return { ...base, result: print(expected, value), value, unit: expected.unit };
    }
    case 'range':
      return { ...base, result: asRange(finding), value: -1, unit: expected.unit };
    case 'comment':
      return { ...base, result: isNumber ? asComment(finding) : inWords(finding), value: -1, unit: null };
    case 'coded_value':
      return { ...base, result: isNumber ? asCode(finding) : inWords(finding), value: -1, unit: null };
  }
}

const isUnremarkable = (word: Word) => word === 'normal' || word === 'unknown';

const print = (expected: ExpectedResult, value: number): string => value.toFixed(expected.decimals);

/** `<0.15`, `>450`: what lies beyond what the instrument can measure, on the side where it is. */
function asRange({ expected, value, word }: Finding): string {
  if (value === undefined) return isUnremarkable(word) ? '<1' : '>8';
  const isBelow = isUnremarkable(word) ? expected.high !== null : value < (expected.low ?? -Infinity);
  return `${isBelow ? '<' : '>'}${print(expected, Math.max(value, 10 ** -expected.decimals))}`;
}

const sideOf = ({ expected, value = 0 }: Finding) => (value > (expected.high ?? Infinity) ? 'high' : 'low');

function asComment(finding: Finding): string {
  const { expected, value = 0, word } = finding;
  const said = [print(expected, value), expected.unit].filter(Boolean).join(' ');
  if (word === 'unknown') return said;
  if (word === 'normal') return `${said}, within the reference range`;
  const side = sideOf(finding) === 'high' ? 'above' : 'below';
  return `${said}, ${word === 'critical' ? 'critically ' : ''}${side} the reference range`;
}

function asCode(finding: Finding): string {
  if (isUnremarkable(finding.word)) return 'Normal';
  const side = sideOf(finding);
  return finding.word === 'critical' ? `Critically ${side}` : side === 'high' ? 'High' : 'Low';
}

/** What has several usual answers, by LOINC: nobody is abnormal for their blood group. */
const USUAL_WORDS: Readonly<Record<string, readonly string[]>> = {
  '883-9': ['O', 'O', 'A', 'A', 'B', 'AB'],
  '1305-2': ['Positive', 'Positive', 'Positive', 'Positive', 'Negative'],
};

function inWords({ orderId, expected, word }: Finding): string {
  const usual = USUAL_WORDS[expected.loinc ?? ''];
  const chance = chanceOf(orderId, expected.slug, 'words');
  if (usual && expected.abnormalText === null) return usual[Math.floor(chance() * usual.length)] ?? 'O';
  if (isUnremarkable(word)) return expected.normalText ?? 'Not detected';
  return expected.abnormalText ?? expected.normalText ?? 'Detected';
}

function rangeText(expected: ExpectedResult): string | null {
  if (expected.rangeText !== null) return expected.rangeText;
  const { low, high } = expected;
  if (low !== null && high !== null) return `${print(expected, low)}-${print(expected, high)}`;
  if (high !== null) return `< OR = ${print(expected, high)}`;
  return low === null ? null : `> OR = ${print(expected, low)}`;
}
