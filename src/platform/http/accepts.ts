/** As an Accept header and a table of answers name it. */
export const JSON_MEDIA = 'application/json';

/**
 * The media type that an Accept header likes best of those that can be answered; the first of them where it likes
 * several as much, says nothing, or nothing that we have.
 */
export function accepts(header: string | undefined, answered: readonly [string, ...string[]]): string {
  const wishes = (header ?? '').split(',').flatMap(wishOf);
  let best = answered[0];
  let bestWeight = 0;
  for (const type of answered) {
    const weight = weightOf(type, wishes);
    if (weight > bestWeight) [best, bestWeight] = [type, weight];
  }
  return best;
}

interface Wish {
  readonly range: string;
  readonly weight: number;
}

/** One range, as `text/*;q=0.5`. */
function wishOf(text: string): Wish[] {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  if (range === '') return [];
  const given = parameters.find((parameter) => parameter.startsWith('q='));
  const weight = given === undefined ? 1 : Number(given.slice('q='.length));
  return weight >= 0 && weight <= 1 ? [{ range, weight }] : [];
}

/** The most exact range decides. */
function weightOf(type: string, wishes: readonly Wish[]): number {
  const ranges = [type, `${type.split('/')[0] ?? ''}/*`, '*/*'];
  for (const range of ranges) {
    const wish = wishes.find((one) => one.range === range);
    if (wish) return wish.weight;
  }
  return 0;
}
