import { UnreadableMessageError } from '../protocol.ts';
import { joinContinuedLines } from './continuation.ts';
import { createEscapeDecoder, decodeMessage, decodeUndeclared, type BytesDecoder } from './charset.ts';
import { unescapeText, DEFAULT_DELIMITERS, type Hl7Delimiters } from './escape.ts';

/** A segment. `fields[0]` is its name. In MSH, `fields[1]` is the separator, so that indexes match the standard. */
export interface Hl7Segment {
  /** Empty for a line that is not a segment. */
  readonly name: string;
  readonly fields: readonly string[];
  /** What is wrong with a line that is not a segment, with its text; its fields are empty. */
  readonly problem?: string;
  /** Number of field delimiters of a line that is not a segment. */
  readonly delimiterCount?: number;
}

export interface Hl7Message {
  readonly delimiters: Hl7Delimiters;
  readonly segments: readonly Hl7Segment[];
  /** Decodes the bytes of hexadecimal escapes; missing in a message without any. */
  readonly decodeEscaped?: BytesDecoder;
}

const SEGMENTS_MAX = 100_000;
/** The longest standard segments have fewer than 70 fields. */
const FIELDS_MAX = 400;
const PARTS_MAX = 1000;
const HEADERS = new Set(['MSH', 'FHS', 'BHS']);

/** Splits a message into segments and fields; throws UnreadableMessageError. Fields are parsed on demand. */
export function parseMessage(bytes: Buffer): Hl7Message {
  if (bytes.includes(0)) throw new UnreadableMessageError('The message contains a NUL byte');
  const text = decodeMessage(bytes).replace(/^\uFEFF?\s*/, '');
  const delimiters = readDelimiters(text);
  const lines = text.split(/[\r\n]+/, SEGMENTS_MAX + 1);
  if (lines.length > SEGMENTS_MAX) throw new UnreadableMessageError(`More than ${SEGMENTS_MAX} segments`);
  const segments: Hl7Segment[] = [];
  for (const line of joinContinuedLines(lines, delimiters.field))
    segments.push(parseSegment(line, delimiters));
  const hasBytes = delimiters.escape !== '' && text.toUpperCase().includes(`${delimiters.escape}X`);
  return { delimiters, segments, ...(hasBytes ? { decodeEscaped: createEscapeDecoder(bytes) } : {}) };
}

/** Excerpt of a malformed line: long enough to recognize what is missing. */
const EXCERPT_MAX = 200;
const SEGMENT_NAME = /^[A-Z][A-Z0-9]{2}$/;
/** Segments that are recognized in small letters, too: without them, results would belong to others. */
const KNOWN_SEGMENTS = new Set(['PID', 'ORC', 'OBR', 'OBX', 'NTE', 'SPM', 'DSC', 'ZPS']);

/** A line that is not a segment is returned with its problem, so that the rest of the message can be read. */
function parseSegment(line: string, { field }: Pick<Hl7Delimiters, 'field'>): Hl7Segment {
  const fields = line.split(field, FIELDS_MAX + 1);
  const name = fields[0] ?? '';
  if (!SEGMENT_NAME.test(name)) {
    const meant = name.trim().toUpperCase();
    if (fields.length > 1 && KNOWN_SEGMENTS.has(meant))
      return parseSegment(line.replace(name, meant), { field });
    return createMalformed('A line of the message is not a segment', line, fields.length - 1);
  }
  if (fields.length > FIELDS_MAX)
    return createMalformed(`A line of the message has more than ${FIELDS_MAX} fields`, line, FIELDS_MAX);
  return { name, fields: HEADERS.has(name) ? [name, field, ...fields.slice(1)] : fields };
}

const createMalformed = (problem: string, line: string, delimiterCount: number): Hl7Segment => ({
  name: '',
  fields: [],
  delimiterCount,
  problem: `${problem}, and was not read: ${line.trim().slice(0, EXCERPT_MAX)}`,
});

/** The five delimiters that the header declares: MSH-1 and the characters of MSH-2. */
function readDelimiters(text: string): Hl7Delimiters {
  if (!HEADERS.has(text.slice(0, 3))) throw new UnreadableMessageError('The message does not begin with MSH');
  const field = text[3] ?? '';
  const declared = text.slice(4, text.indexOf(field, 4));
  const [component = '', repetition = '', escape = '', subcomponent = ''] = declared;
  const all = [field, component, repetition, escape, subcomponent].filter((one) => one !== '');
  const isSane = declared.length >= 2 && declared.length <= 5 && all.every((one) => /[^\w\s]/.test(one));
  if (!isSane || new Set(all).size !== all.length) {
    throw new UnreadableMessageError('MSH-1 and MSH-2 do not declare delimiters that differ from each other');
  }
  return { field, component, repetition, escape, subcomponent };
}

/** Reads the fields of one message. Numbers start at 1, as in the standard. */
export interface FieldReader {
  /** Whether the message has the default delimiters, and no escaped bytes in a set of its own, as nearly all do. */
  readonly isUsual: boolean;
  /** The repetitions of a field, raw. */
  all(segment: Hl7Segment | undefined, field: number): string[];
  /** A component of the first repetition; null if it is empty or `""`. */
  get(segment: Hl7Segment | undefined, field: number, component?: number): string | null;
  /** A component of a raw repetition; null if it is empty or `""`. */
  part(repetition: string | undefined, component: number): string | null;
  /** The subcomponents of a component of a raw repetition. */
  subparts(repetition: string, component: number): (string | null)[];
  /** The subcomponents of each component of a raw repetition; empty strings for empty ones. */
  components(repetition: string): string[][];
  /** Whether a raw repetition has one component without subcomponents. */
  isPlain(repetition: string): boolean;
  /** The whole field as printed, with its delimiters; null if it is empty. */
  whole(segment: Hl7Segment | undefined, field: number): string | null;
  /** The text of a raw part. */
  text(raw: string): string;
}

const DELIMITER_NAMES = ['field', 'component', 'repetition', 'escape', 'subcomponent'] as const;

export function createFieldReader({
  delimiters,
  decodeEscaped = decodeUndeclared,
}: Pick<Hl7Message, 'delimiters' | 'decodeEscaped'>): FieldReader {
  const { component: componentMark, repetition: repetitionMark, subcomponent } = delimiters;
  const rawOf = (segment: Hl7Segment | undefined, field: number) => segment?.fields[field] ?? '';
  const text = (raw: string) => unescapeText(raw, delimiters, decodeEscaped);
  const said = (raw: string): string | null => {
    if (raw === '' || raw === '""') return null;
    const value = text(raw).trim();
    return value === '' ? null : value;
  };
  /** The first subcomponent of a component. Most requested fields are empty, so that case is fast. */
  const part = (repetition: string | undefined, component: number) =>
    repetition === undefined || repetition === ''
      ? null
      : said(takeUntil(subcomponent, getPart(repetition, componentMark, component)));
  return {
    isUsual:
      decodeEscaped === decodeUndeclared &&
      DELIMITER_NAMES.every((mark) => delimiters[mark] === DEFAULT_DELIMITERS[mark]),
    all: (segment, field) => splitParts(rawOf(segment, field), repetitionMark),
    part,
    subparts: (repetition, component) =>
      splitParts(getPart(repetition, componentMark, component), subcomponent).map(said),
    components: (repetition) =>
      splitParts(repetition, componentMark).map((component) =>
        splitParts(component, subcomponent).map((raw) => said(raw) ?? ''),
      ),
    isPlain: (repetition) =>
      !includesMark(repetition, componentMark) && !includesMark(repetition, subcomponent),
    text,
    get: (segment, field, component = 1) => part(takeUntil(repetitionMark, rawOf(segment, field)), component),
    whole: (segment, field) => said(rawOf(segment, field)),
  };
}

function splitParts(raw: string, mark: string): string[] {
  if (raw === '') return [];
  return mark === '' || !raw.includes(mark) ? [raw] : raw.split(mark, PARTS_MAX);
}

const includesMark = (raw: string, mark: string): boolean => mark !== '' && raw.includes(mark);

/** The text before the first mark. */
function takeUntil(mark: string, raw: string): string {
  const end = mark === '' ? -1 : raw.indexOf(mark);
  return end === -1 ? raw : raw.slice(0, end);
}

/** Extracts one part without splitting the rest, because messages have thousands of fields. */
function getPart(raw: string, mark: string, number: number): string {
  if (mark === '') return number === 1 ? raw : '';
  let start = 0;
  for (let before = 1; before < number; before += 1) {
    const end = raw.indexOf(mark, start);
    if (end === -1) return '';
    start = end + 1;
  }
  const end = raw.indexOf(mark, start);
  return end === -1 ? raw.slice(start) : raw.slice(start, end);
}
