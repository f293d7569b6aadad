/** The JSON media type, as in an Accept header and in a table of responses. */
export const JSON_MEDIA_TYPE = 'application/json';

/**
 * Chooses the media type that an Accept header prefers among those offered; the first one for a tie, for a missing
 * header, or when none matches.
 */
export function negotiateMediaType(
  header: string | undefined,
  answered: readonly [string, ...string[]],
): string {
  const wishes = (header ?? '').split(',').flatMap(parseAcceptRange);
  let best = answered[0];
  let bestWeight = 0;
  for (const type of answered) {
    const weight = weightOf(type, wishes);
    if (weight > bestWeight) [best, bestWeight] = [type, weight];
  }
  return best;
}

interface AcceptRange {
  readonly range: string;
  readonly weight: number;
}

/** Parses one media range such as `text/*;q=0.5`. */
function parseAcceptRange(text: string): AcceptRange[] {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  if (range === '') return [];
  const given = parameters.find((parameter) => parameter.startsWith('q='));
  const weight = given === undefined ? 1 : Number(given.slice('q='.length));
  return weight >= 0 && weight <= 1 ? [{ range, weight }] : [];
}

/** The most specific range decides. */
function weightOf(type: string, wishes: readonly AcceptRange[]): number {
  const ranges = [type, `${type.split('/')[0] ?? ''}/*`, '*/*'];
  for (const range of ranges) {
    const wish = wishes.find((one) => one.range === range);
    if (wish) return wish.weight;
  }
  return 0;
}
