import { headFieldAt, type HeadField } from './lexicon/head-fields.ts';
import { type Row, textOf } from './rows.ts';
import type { Word } from './word.ts';

/** A label of the head and what is printed for it. */
export interface HeadPair {
  readonly field: HeadField;
  readonly text: string;
}

interface Label {
  readonly field: HeadField;
  readonly begin: number;
  readonly end: number;
}

/** Every label of these lines with what follows it in its line, or stands below it. */
export function headPairs(rows: readonly Row[]): HeadPair[] {
  return rows.flatMap((row, index) => {
    const words = row.words.flatMap(cutAtColon);
    const labels = labelsOf(words, row);
    return labels.flatMap((label, number) => {
      const until = labels[number + 1]?.begin ?? words.length;
      const text = valueOf(words.slice(label.end, until));
      if (text !== '') return [{ field: label.field, text }];
      const below = belowOf(words[label.begin], rows[index + 1]);
      return below ? [{ field: label.field, text: below }] : [];
    });
  });
}

/** "DOB:07/15/2001" is a label and its value. */
function cutAtColon(word: Word): Word[] {
  const at = word.text.search(/:(?=[^\d\s])|(?<=\p{L}):(?=\d)/u);
  if (at < 1 || at === word.text.length - 1 || /:\/\//.test(word.text)) return [word];
  const perLetter = (word.box.x1 - word.box.x0) / word.text.length;
  const middle = word.box.x0 + (at + 1) * perLetter;
  return [
    { ...word, text: word.text.slice(0, at + 1), box: { ...word.box, x1: middle } },
    { ...word, text: word.text.slice(at + 1), box: { ...word.box, x0: middle } },
  ];
}

function labelsOf(words: readonly Word[], row: Row): Label[] {
  const texts = words.map((word) => word.text);
  const labels: Label[] = [];
  for (let at = 0; at < words.length;) {
    const found = headFieldAt(texts, at);
    const end = at + (found?.count ?? 1);
    if (found && isLabel(words, { begin: at, end, field: found.field }, row)) {
      const colon = /^[:#]+$/.test(texts[end] ?? '') ? 1 : 0;
      labels.push({ field: found.field, begin: at, end: end + colon });
      at = end + colon;
    } else at += 1;
  }
  return labels;
}

/** A label ends with a colon, stands alone before a gap, or is followed by what it must be followed by. */
function isLabel(words: readonly Word[], { begin, end, field }: Label, row: Row): boolean {
  const last = words[end - 1];
  const next = words[end];
  const before = words[begin - 1];
  if (!last) return false;
  if (/[:#]$/.test(last.text) || /^[:#]/.test(next?.text ?? '')) return true;
  const startsSegment = !before || (words[begin]?.box.x0 ?? 0) - before.box.x1 > 0.7 * row.fontSize;
  const endsSegment = !next || next.box.x0 - last.box.x1 > 0.7 * row.fontSize;
  if (startsSegment && endsSegment) return true;
  if (!startsSegment) return false;
  const isDate = field === 'dob' || field === 'collected' || field === 'reported';
  return (isDate || field === 'specimen') && /^\(?\d/.test(next?.text ?? '') && end - begin < 5;
}

/** The words after a label as far as they hang together. */
function valueOf(words: readonly Word[]): string {
  const kept: Word[] = [];
  for (const word of words) {
    const before = kept.at(-1);
    if (before && word.box.x0 - before.box.x1 > 1.6 * word.fontSize) break;
    kept.push(word);
  }
  return textOf(kept)
    .replace(/^[:\s#]+/, '')
    .trim();
}

function belowOf(label: Word | undefined, below: Row | undefined): string | undefined {
  if (!label || !below || below.box.y0 - label.box.y1 > 1.6 * label.fontSize) return undefined;
  const segment = below.segments.find(({ box }) => Math.abs(box.x0 - label.box.x0) < 12);
  if (
    !segment ||
    /:/.test(textOf(segment.words)) ||
    headFieldAt(
      segment.words.map((word) => word.text),
      0,
    )
  )
    return undefined;
  return textOf(segment.words);
}
