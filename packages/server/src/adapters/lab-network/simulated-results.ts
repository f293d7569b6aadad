import type { ExpectedResult, ReportedResult } from './port.ts';
import { createSpecimenRandom } from './simulated-values.ts';

type SimulatedResultType = ReportedResult['type'];
type FindingInterpretation = ReportedResult['interpretation'];

/** The simulated finding for one analyte: its value, if numeric, and interpretation. */
interface SimulatedFinding {
  readonly orderId: string;
  readonly expected: ExpectedResult;
  readonly value: number | undefined;
  readonly word: FindingInterpretation;
}

type PrintedFinding = Pick<ReportedResult, 'result' | 'value' | 'unit' | 'referenceRange' | 'interpretation'>;

export const getDefaultType = ({ kind }: ExpectedResult): SimulatedResultType =>
  kind === 'numeric' ? 'numeric' : kind === 'coded' ? 'coded_value' : 'comment';

/** Formats a finding as a result of the given type. */
export function printFinding(type: SimulatedResultType, finding: SimulatedFinding): PrintedFinding {
  const { expected, word } = finding;
  const isNumber = expected.kind === 'numeric';
  // An unknown interpretation means that there is no reference range.
  const referenceRange =
    word === 'unknown'
      ? null
      : isNumber
        ? printReferenceRange(expected)
        : (expected.rangeText ?? expected.normalText);
  const base = { referenceRange, interpretation: word };
  switch (type) {
    case 'numeric': {
      const value = finding.value ?? (isUnremarkable(word) ? 0 : 4);
      return { ...base, result: printNumber(expected, value), value, unit: expected.unit };
    }
    case 'range':
      return { ...base, result: printRange(finding), value: -1, unit: expected.unit };
    case 'comment':
      return {
        ...base,
        result: isNumber ? printComment(finding) : printText(finding),
        value: -1,
        unit: null,
      };
    case 'coded_value':
      return { ...base, result: isNumber ? printCode(finding) : printText(finding), value: -1, unit: null };
  }
}

const isUnremarkable = (word: FindingInterpretation) => word === 'normal' || word === 'unknown';

const printNumber = (expected: ExpectedResult, value: number): string => value.toFixed(expected.decimals);

/** `<0.15`, `>450`: a value outside the instrument's range, on its side of the reference range. */
function printRange({ expected, value, word }: SimulatedFinding): string {
  if (value === undefined) return isUnremarkable(word) ? '<1' : '>8';
  const isBelow = isUnremarkable(word) ? expected.high !== null : value < (expected.low ?? -Infinity);
  return `${isBelow ? '<' : '>'}${printNumber(expected, Math.max(value, 10 ** -expected.decimals))}`;
}

const getSide = ({ expected, value = 0 }: SimulatedFinding) =>
  value > (expected.high ?? Infinity) ? 'high' : 'low';

function printComment(finding: SimulatedFinding): string {
  const { expected, value = 0, word } = finding;
  const said = [printNumber(expected, value), expected.unit].filter(Boolean).join(' ');
  if (word === 'unknown') return said;
  if (word === 'normal') return `${said}, within the reference range`;
  const side = getSide(finding) === 'high' ? 'above' : 'below';
  return `${said}, ${word === 'critical' ? 'critically ' : ''}${side} the reference range`;
}

function printCode(finding: SimulatedFinding): string {
  if (isUnremarkable(finding.word)) return 'Normal';
  const side = getSide(finding);
  return finding.word === 'critical' ? `Critically ${side}` : side === 'high' ? 'High' : 'Low';
}

/** Analytes with several normal values, by LOINC code, such as the blood group. */
const NORMAL_VALUES: Readonly<Record<string, readonly string[]>> = {
  '883-9': ['O', 'O', 'A', 'A', 'B', 'AB'],
  '1305-2': ['Positive', 'Positive', 'Positive', 'Positive', 'Negative'],
};

function printText({ orderId, expected, word }: SimulatedFinding): string {
  const usual = NORMAL_VALUES[expected.loinc ?? ''];
  const chance = createSpecimenRandom(orderId, expected.slug, 'words');
  if (usual && expected.abnormalText === null) return usual[Math.floor(chance() * usual.length)] ?? 'O';
  if (isUnremarkable(word)) return expected.normalText ?? 'Not detected';
  return expected.abnormalText ?? expected.normalText ?? 'Detected';
}

function printReferenceRange(expected: ExpectedResult): string | null {
  if (expected.rangeText !== null) return expected.rangeText;
  const { low, high } = expected;
  if (low !== null && high !== null) return `${printNumber(expected, low)}-${printNumber(expected, high)}`;
  if (high !== null) return `< OR = ${printNumber(expected, high)}`;
  return low === null ? null : `> OR = ${printNumber(expected, low)}`;
}
