import { UnreadableMessage } from '../wire.ts';
import { decode } from './charset.ts';
import { unescape, USUAL, type Delimiters } from './escape.ts';

/** One line of a message. `fields[0]` is its name; of MSH, `fields[1]` is the separator itself, so that numbers are those of the standard. */
export interface Segment {
  readonly name: string;
  readonly fields: readonly string[];
}

export interface Message {
  readonly delimiters: Delimiters;
  readonly segments: readonly Segment[];
}

const SEGMENTS_MAX = 100_000;
/** The standard's longest segments have below 70 fields. */
const FIELDS_MAX = 400;
const PARTS_MAX = 1000;
const HEADERS = new Set(['MSH', 'FHS', 'BHS']);

/** Splits a message into segments and fields; throws UnreadableMessage. Parts of fields are looked at when asked for. */
export function parse(bytes: Buffer): Message {
  if (bytes.includes(0)) throw new UnreadableMessage('The message has a NUL byte');
  const text = decode(bytes).replace(/^\uFEFF?\s*/, '');
  const delimiters = delimitersOf(text);
  const lines = text.split(/[\r\n]+/, SEGMENTS_MAX + 1);
  if (lines.length > SEGMENTS_MAX) throw new UnreadableMessage(`More than ${SEGMENTS_MAX} segments`);
  const segments: Segment[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.trim() !== '') segments.push(segmentOf(line, index, delimiters));
  }
  return { delimiters, segments };
}

function segmentOf(line: string, index: number, { field }: Delimiters): Segment {
  const fields = line.split(field, FIELDS_MAX + 1);
  const name = fields[0] ?? '';
  if (!/^[A-Z][A-Z0-9]{2}$/.test(name)) {
    throw new UnreadableMessage(`Segment ${index + 1} has no name of three letters or digits`);
  }
  if (fields.length > FIELDS_MAX)
    throw new UnreadableMessage(`Segment ${index + 1} (${name}) has more than ${FIELDS_MAX} fields`);
  return { name, fields: HEADERS.has(name) ? [name, field, ...fields.slice(1)] : fields };
}

/** The five delimiters that the header declares: MSH-1 and the characters of MSH-2. */
function delimitersOf(text: string): Delimiters {
  if (!HEADERS.has(text.slice(0, 3))) throw new UnreadableMessage('The message does not begin with MSH');
  const field = text[3] ?? '';
  const declared = text.slice(4, text.indexOf(field, 4));
  const [component = '', repetition = '', escape = '', subcomponent = ''] = declared;
  const all = [field, component, repetition, escape, subcomponent].filter((one) => one !== '');
  const isSane = declared.length >= 2 && declared.length <= 5 && all.every((one) => /[^\w\s]/.test(one));
  if (!isSane || new Set(all).size !== all.length) {
    throw new UnreadableMessage('MSH-1 and MSH-2 do not declare delimiters that differ from each other');
  }
  return { field, component, repetition, escape, subcomponent };
}

/** What reads the parts of fields of one message. Numbers count from 1, as the standard writes them. */
export interface FieldReader {
  /** Whether the message declares the usual delimiters, as nearly all do. */
  readonly isUsual: boolean;
  /** The repetitions of a field, raw. */
  all(segment: Segment | undefined, field: number): string[];
  /** A component of the first repetition; null where it is empty or said to be null. */
  get(segment: Segment | undefined, field: number, component?: number): string | null;
  /** A component of a raw repetition; null where it is empty or said to be null. */
  part(repetition: string | undefined, component: number): string | null;
  /** The subcomponents of a component of a raw repetition. */
  subparts(repetition: string, component: number): (string | null)[];
  /** The whole field as it would be printed, its delimiters kept; null where it is empty. */
  whole(segment: Segment | undefined, field: number): string | null;
  /** The text of a raw part. */
  text(raw: string): string;
}

const MARKS = ['field', 'component', 'repetition', 'escape', 'subcomponent'] as const;

export function readerOf({ delimiters }: Pick<Message, 'delimiters'>): FieldReader {
  const { component: componentMark, repetition: repetitionMark, subcomponent } = delimiters;
  const rawOf = (segment: Segment | undefined, field: number) => segment?.fields[field] ?? '';
  const text = (raw: string) => unescape(raw, delimiters);
  const said = (raw: string): string | null => {
    if (raw === '' || raw === '""') return null;
    const value = text(raw).trim();
    return value === '' ? null : value;
  };
  /** A component, without its further subcomponents. Most fields that are asked for are empty. */
  const part = (repetition: string | undefined, component: number) =>
    repetition === undefined || repetition === ''
      ? null
      : said(upTo(subcomponent, pieceOf(repetition, componentMark, component)));
  return {
    isUsual: MARKS.every((mark) => delimiters[mark] === USUAL[mark]),
    all: (segment, field) => piecesOf(rawOf(segment, field), repetitionMark),
    part,
    subparts: (repetition, component) =>
      piecesOf(pieceOf(repetition, componentMark, component), subcomponent).map(said),
    text,
    get: (segment, field, component = 1) => part(upTo(repetitionMark, rawOf(segment, field)), component),
    whole: (segment, field) => said(rawOf(segment, field)),
  };
}

function piecesOf(raw: string, mark: string): string[] {
  if (raw === '') return [];
  return mark === '' || !raw.includes(mark) ? [raw] : raw.split(mark, PARTS_MAX);
}

/** The text before the first mark. */
function upTo(mark: string, raw: string): string {
  const end = mark === '' ? -1 : raw.indexOf(mark);
  return end === -1 ? raw : raw.slice(0, end);
}

/** The piece with this number, cut out without making the others: a message has thousands of fields. */
function pieceOf(raw: string, mark: string, number: number): string {
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
