/*
 * The simulated providers keep nothing; what they mean to answer later stands in the reference that they give.
 * `4F60D2A1` for an appointment that is settled, `4F60D2A1.C.<answers>.<starts>.<ends>` for one that is open: `C` is
 * going to be confirmed, `R` reserved, `N` refused; moments are minutes since 1970 by base 36.
 */

export interface Reference {
  readonly number: string;
  readonly open?: OpenAnswer;
}

export interface OpenAnswer {
  readonly answersAt: Date;
  readonly startAt: Date;
  readonly endAt: Date;
  readonly isRefused: boolean;
  /** A place kept for an order that has no requisition yet; without meaning where it is refused. */
  readonly reserveOnly: boolean;
}

export function writeReference({ number, open }: Reference): string {
  if (!open) return number;
  const letter = open.isRefused ? 'N' : open.reserveOnly ? 'R' : 'C';
  const moments = [open.answersAt, open.startAt, open.endAt];
  return [number, letter, ...moments.map((moment) => minutesOf(moment).toString(36))].join('.');
}

const MINUTE_MS = 60_000;
/** Rounded up: an answer is not given before its time. */
const minutesOf = (moment: Date): number => Math.ceil(moment.getTime() / MINUTE_MS);

const OPEN = /^([0-9A-F]+)\.([CRN])\.([0-9a-z]{1,8})\.([0-9a-z]{1,8})\.([0-9a-z]{1,8})$/;

/** A reference that is none of ours has nothing open. */
export function readReference(text: string | null): Reference {
  const match = OPEN.exec(text ?? '');
  if (!match) return { number: text ?? '' };
  const [, number = '', letter, ...moments] = match;
  const [answersAt, startAt, endAt] = moments.map((each) => new Date(Number.parseInt(each, 36) * MINUTE_MS));
  if (!answersAt || !startAt || !endAt) return { number };
  return {
    number,
    open: { answersAt, startAt, endAt, isRefused: letter === 'N', reserveOnly: letter === 'R' },
  };
}
