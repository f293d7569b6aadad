import type { ReceivedObservation } from '../received.ts';
import { isNumber, printBounds, printStructuredNumber } from './components.ts';
import { mapDefined } from './fields.ts';
import type { FieldReader, Hl7Segment } from './syntax.ts';
import { printTimestamp, printTime } from './timestamp.ts';

interface ObservedValue {
  readonly form: ReceivedObservation['form'];
  /** As printed; repetitions on separate lines. Null if empty. */
  readonly value: string | null;
  /** The unit in the value itself. */
  readonly unit: string | null;
}

type ComponentPrinter = (components: readonly string[]) => string | null;

interface ValueType {
  readonly form: ReceivedObservation['form'];
  /** Undefined for text, in which a `^` is printed. */
  readonly print?: ComponentPrinter;
}

const joinComponents: ComponentPrinter = (components) =>
  components.filter((one) => one !== '').join(' ') || null;

const printSN: ComponentPrinter = (components) => {
  const printed = printStructuredNumber(components);
  return printed === undefined ? joinComponents(components) : printed;
};

const printNumber: ComponentPrinter = (components) => {
  const filled = components.filter((one) => one !== '');
  const [only] = filled;
  return filled.length <= 1
    ? (only ?? null)
    : (printStructuredNumber(components) ?? joinComponents(components));
};

const printDates =
  (print: (text: string) => string): ComponentPrinter =>
  ([date = '']) =>
    date === '' ? null : print(date);

const printDateRange: ComponentPrinter = ([from = '', to = '']) => {
  const dates = [from, to].map(printTimestamp);
  if (from !== '' && to !== '') return dates.join(' - ');
  if (from !== '') return `from ${dates[0]}`;
  return to === '' ? null : `until ${dates[1]}`;
};

const printRange: ComponentPrinter = ([low = '', high = '', ...more]) =>
  more.some((one) => one !== '') ? joinComponents([low, high, ...more]) : printBounds(low, high);

/** HL7 table 0125. Types that are not listed have components without a meaning for a result. */
// prettier-ignore
const VALUE_TYPES: Readonly<Record<string, ValueType>> = {
  NM: { form: 'number', print: printNumber },
  CQ: { form: 'number', print: printNumber },
  SN: { form: 'structured', print: printSN },
  NR: { form: 'structured', print: printRange },
  VR: { form: 'structured', print: printRange },
  DT: { form: 'text', print: printDates(printTimestamp) }, TS: { form: 'text', print: printDates(printTimestamp) },
  DTM: { form: 'text', print: printDates(printTimestamp) }, TM: { form: 'text', print: printDates(printTime) },
  DR: { form: 'text', print: printDateRange },
  CE: { form: 'coded' }, CWE: { form: 'coded' }, CNE: { form: 'coded' }, CF: { form: 'coded' },
  ST: { form: 'text' }, TX: { form: 'text' }, FT: { form: 'text' }, '': { form: 'text' },
};
const OTHER_TYPE: ValueType = { form: 'text', print: joinComponents };

/** Reads OBX-5 by its type in OBX-2. `unit` is that of OBX-6. */
export function readValue(
  read: FieldReader,
  segment: Hl7Segment,
  { type, unit }: { type: string; unit: string | null },
): ObservedValue {
  const kind = VALUE_TYPES[type] ?? OTHER_TYPE;
  const raws = read.all(segment, 5);
  const [only] = raws;
  const values =
    raws.length <= 1
      ? only === undefined
        ? []
        : [printValue(read, only, { kind, unit })]
      : raws.map((raw) => printValue(read, raw, { kind, unit }));
  const printed = mapDefined(values, (one) => one.value);
  return {
    form: kind.form,
    value: printed.length === 0 ? null : printed.join('\n'),
    unit: values.find((one) => one.unit !== null)?.unit ?? null,
  };
}

type ValueWithUnit = Pick<ObservedValue, 'value' | 'unit'>;
const printed = (value: string | null): ValueWithUnit => ({ value, unit: null });

function printValue(
  read: FieldReader,
  raw: string,
  { kind, unit }: { kind: ValueType; unit: string | null },
): ValueWithUnit {
  if (raw === '""') return printed(null);
  if (kind.form === 'coded')
    return printed(read.part(raw, 2) ?? read.part(raw, 5) ?? read.part(raw, 9) ?? read.part(raw, 1));
  if (!kind.print) return printed(printText(read, raw));
  if (kind.form === 'text' || read.isPlain(raw)) return printed(kind.print(firstParts(read, raw)));
  return printMeasured(firstParts(read, raw), { print: kind.print, unit });
}

const firstParts = (read: FieldReader, raw: string): string[] =>
  read.components(raw).map(([first = '']) => first);

/** A text that has the components of a structured number, or a number behind empty components. */
const STRUCTURED_TEXT = /^(?:[<>]=?\^[\d.]+|\^+[\d.]+)(?:\^[-:/+]?\^[\d.]+)?\^*$/;

function printText(read: FieldReader, raw: string): string | null {
  const text = read.text(raw).trimEnd();
  if (text.trim() === '') return null;
  return STRUCTURED_TEXT.test(text) ? printSN(firstParts(read, raw)) : text;
}

/** A unit in the value is printed with it only if OBX-6 has another one. */
function printMeasured(
  components: readonly string[],
  { print, unit }: { print: ComponentPrinter; unit: string | null },
): ValueWithUnit {
  const at = components.findLastIndex((one) => one !== '');
  const [last = '', before = ''] = [components[at], components[at - 1]];
  if (at < 1 || !UNIT.test(last) || !(isNumber(before) || before === '')) return printed(print(components));
  const value = print(components.slice(0, at));
  if (value === null || !/\d/.test(value)) return printed(print(components));
  return unit === null || unit === last ? { value, unit: last } : printed(`${value} ${last}`);
}

/** Letters or `%`: neither a number nor a separator. */
const UNIT = /^(?:[^\d\s]*[a-zµ%]|10[*^]\d)/i;
