/*
 * The simulated providers are stateless: a decision that they will make later is encoded in the reference they return.
 * `4F60D2A1` is a decided appointment, `4F60D2A1.C.<answers>.<starts>.<ends>` an undecided one. `C` will be confirmed,
 * `R` reserved, `N` refused. Times are minutes since 1970 in base 36.
 */

interface SimulatedReference {
  readonly number: string;
  readonly open?: PendingDecision;
}

interface PendingDecision {
  readonly answersAt: Date;
  readonly startAt: Date;
  readonly endAt: Date;
  readonly isRefused: boolean;
  /** Reserved for an order without a requisition; ignored if refused. */
  readonly reserveOnly: boolean;
}

export function formatReference({ number, open }: SimulatedReference): string {
  if (!open) return number;
  const letter = open.isRefused ? 'N' : open.reserveOnly ? 'R' : 'C';
  const moments = [open.answersAt, open.startAt, open.endAt];
  return [number, letter, ...moments.map((moment) => toMinutes(moment).toString(36))].join('.');
}

const MINUTE_MS = 60_000;
/** Rounded up, so that the decision never comes early. */
const toMinutes = (moment: Date): number => Math.ceil(moment.getTime() / MINUTE_MS);

const PENDING_PATTERN = /^([0-9A-F]+)\.([CRN])\.([0-9a-z]{1,8})\.([0-9a-z]{1,8})\.([0-9a-z]{1,8})$/;

/** A reference in another format has no pending decision. */
export function parseReference(text: string | null): SimulatedReference {
  const match = PENDING_PATTERN.exec(text ?? '');
  if (!match) return { number: text ?? '' };
  const [, number = '', letter, ...moments] = match;
  const [answersAt, startAt, endAt] = moments.map((each) => new Date(Number.parseInt(each, 36) * MINUTE_MS));
  if (!answersAt || !startAt || !endAt) return { number };
  return {
    number,
    open: { answersAt, startAt, endAt, isRefused: letter === 'N', reserveOnly: letter === 'R' },
  };
}
