import { flagLevelOf } from './lexicon/flags.ts';
import { roleOfHeading } from './lexicon/headers.ts';
import { isOrganism, qualityOf } from './lexicon/qualities.ts';
import { headerAt } from './columns.ts';
import { type Row, type Segment, textOf } from './rows.ts';

/** An area of a page that is read column by column. */
interface Area {
  readonly top: number;
  readonly bottom: number;
  readonly cuts: readonly number[];
}

/** In points: how exactly things stand in a line. */
const ALIGNED = 3;

/** The first area with cards beside each other, or with two results in every line; undefined where there is none. */
export function sideBySide(rows: readonly Row[]): Area | undefined {
  let hasHead = false;
  for (const [index, row] of rows.entries()) {
    const starts = cardsAt(rows, index);
    if (starts) return areaOf(rows, index, starts);
    hasHead ||= headerAt(rows, index) !== undefined;
    // What stands below headings has columns of its own, such as one for the method.
    if (!hasHead && isPair(row)) {
      const area = pairsFrom(rows, index);
      if (area) return area;
    }
  }
  return undefined;
}

/** Where cards begin: names beside each other, and right below each an amount. */
function cardsAt(rows: readonly Row[], index: number): number[] | undefined {
  const [heads, amounts] = [rows[index], rows[index + 1]];
  const names = heads?.segments.filter((segment, at) => at === 0 || !isStatus(segment)) ?? [];
  if (!heads || !amounts || names.length < 2 || amounts.segments.length < names.length) return undefined;
  if (amounts.box.y0 - heads.box.y1 > 2.5 * heads.fontSize) return undefined;
  const areCards = names.every((name) => {
    const below = amounts.segments.find(({ box }) => Math.abs(box.x0 - name.box.x0) < ALIGNED);
    return (
      !/\d{2}[:/.-]\d|:$/.test(textOf(name.words)) &&
      roleOfHeading(textOf(name.words)) === undefined &&
      !startsWithAmount(name) &&
      below !== undefined &&
      startsWithAmount(below)
    );
  });
  return areCards ? names.map(({ box }) => box.x0) : undefined;
}

/** "In range", beside the name of a card. */
const isStatus = ({ words }: Segment): boolean => flagLevelOf(textOf(words)) !== undefined;

const startsWithAmount = ({ words }: Segment): boolean =>
  /^[<>≤≥]?\s?\d[\d.,]*$/u.test(words[0]?.text ?? '') || qualityOf(textOf(words)) !== undefined;

/** As far down as lines begin where a card begins, and none crosses from one to the next. */
function areaOf(rows: readonly Row[], index: number, starts: readonly number[]): Area {
  const cuts = starts.slice(1).map((start) => start - ALIGNED);
  const end = rows.findIndex(
    ({ segments }, at) =>
      at > index &&
      (!starts.some((start) => Math.abs(start - (segments[0]?.box.x0 ?? 0)) < ALIGNED) ||
        crosses(segments, cuts)),
  );
  return {
    top: (rows[index]?.box.y0 ?? 0) - 1,
    bottom: end < 0 ? Number.POSITIVE_INFINITY : (rows[end]?.box.y0 ?? 0) - 1,
    cuts,
  };
}

const crosses = (segments: readonly Segment[], cuts: readonly number[]): boolean =>
  segments.some(({ box }) => cuts.some((cut) => box.x0 < cut && box.x1 > cut + ALIGNED));

/** Organisms are found, and are names where it stands beside them whether they were. */
const isFinding = (text: string): boolean => qualityOf(text) !== undefined && !isOrganism(text);

const LEAST_PAIRS = 4;

/** Name and result in words, and the same once more beside them. */
const isPair = ({ segments }: Row): boolean =>
  segments.length === 4 &&
  segments.every(({ words }, index) => isFinding(textOf(words)) === (index % 2 === 1));

function pairsFrom(rows: readonly Row[], index: number): Area | undefined {
  const x = rows[index]?.segments[2]?.box.x0 ?? 0;
  const end = rows.findIndex(
    (row, at) => at > index && (!isPair(row) || Math.abs((row.segments[2]?.box.x0 ?? 0) - x) > ALIGNED),
  );
  const pairs = rows.slice(index, end < 0 ? undefined : end);
  const names = new Set(pairs.map(({ segments }) => textOf(segments[2]?.words ?? [])));
  if (pairs.length < LEAST_PAIRS || names.size < pairs.length) return undefined;
  return {
    top: (rows[index]?.box.y0 ?? 0) - 1,
    bottom: (pairs.at(-1)?.box.y1 ?? 0) + 0.5,
    cuts: [x - ALIGNED],
  };
}
