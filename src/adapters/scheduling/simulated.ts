import { createHash } from 'node:crypto';
import { HOUR, later, MINUTE } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import { dayAfter, localDay, openLocalDay, weekdayOf } from '../../platform/time-zone.ts';
import { behaviourAt, behaviourTo, undergo, type Behaviour } from './behaviour.ts';
import {
  SCHEDULING_PROVIDERS,
  type AvailabilityAsked,
  type BookAnswer,
  type PlaceSlots,
  type ProviderVisit,
  type SchedulingProvider,
  type SchedulingProviderName,
  type SlotWish,
  type VisitWish,
} from './port.ts';
import { readReference, writeReference } from './simulated-reference.ts';
import { BOOKKEEPING, findSlot, share, slotsOf, type SlotRules } from './simulated-slots.ts';

export interface SimulationOptions {
  /** Another seed is another world: other slots are full. */
  readonly seed?: string;
  /** How long one waits for a provider that is slow on purpose. */
  readonly slowMs?: number;
}

/** Beyond the shortest patience of a caller who waits for a booking, and short enough to try it by hand. */
const SLOW_MS = 4000;
/** When a provider that confirms only later does so. */
const LATER_MS = 5 * MINUTE;

interface Rules extends SlotRules {
  readonly name: SchedulingProviderName;
  readonly slowMs: number;
}

const servesZip = (zip: string): boolean => US_ZIP.test(zip) && !MILITARY.test(zip);
/** From Holtsville, 00501, up; what is below was never given to a place. */
const US_ZIP = /^(?!00[0-4])(?!00500)\d{5}(-\d{4})?$/;
/** Post of the forces goes all over the world; nobody lives at such an address. */
const MILITARY = /^(09|340|96[2-6])/;

/**
 * A provider that sees nobody. Everything it says follows from the place, the appointment's id and the moment it is
 * given: it keeps nothing, so it is the same in every process and after every restart. How many places of a slot our
 * own appointments have taken is therefore not in its books; who books on it counts them.
 */
export function simulatedScheduling(
  name: SchedulingProviderName,
  { seed = 'aliquot', slowMs = SLOW_MS }: SimulationOptions = {},
): SchedulingProvider {
  const rules: Rules = { ...BOOKKEEPING[name], name, seed, slowMs };
  const isRequest = name === 'phlebfinders';
  const only = (kind: 'slots' | 'request') => {
    if ((kind === 'request') === isRequest) return;
    const detail = isRequest ? 'sets its times by itself' : 'wants a slot to be chosen';
    throw new DomainError('bad_request', `The provider ${name} ${detail}`);
  };
  const slotBooked = async (wish: SlotWish) => {
    only('slots');
    return book(rules, wish);
  };
  return {
    name,
    kind: isRequest ? 'request' : 'slots',
    serves: servesZip,
    availability: async (asked) => {
      only('slots');
      return availability(rules, asked);
    },
    book: slotBooked,
    request: async (wish) => {
      only('request');
      return request(rules, wish);
    },
    reschedule: slotBooked,
    confirm: async ({ last }) => confirmed(last),
    cancel: async () => {},
    look: async ({ last, now }) => last && lookedAt(last, now),
  };
}

/** All four, as a sandbox has them. */
export const simulatedSchedulings = (
  options: SimulationOptions = {},
): Readonly<Record<SchedulingProviderName, SchedulingProvider>> => {
  const [quest, sonora, getlabs, phlebfinders] = SCHEDULING_PROVIDERS.map((name) =>
    simulatedScheduling(name, options),
  );
  if (!quest || !sonora || !getlabs || !phlebfinders) throw new Error('A provider is missing');
  return { quest, sonora_quest: sonora, getlabs, phlebfinders };
};

async function availability(rules: Rules, asked: AvailabilityAsked): Promise<PlaceSlots[]> {
  await undergo(asked.places.map(behaviourAt), rules.slowMs);
  return asked.places.map((place) => ({
    place,
    slots: behaviourAt(place) === 'full' ? [] : slotsOf(rules, place, asked),
  }));
}

async function book(rules: Rules, wish: SlotWish): Promise<BookAnswer> {
  const behaviour = behaviourTo(wish);
  await undergo([behaviour], rules.slowMs);
  const { slotId, startAt, endAt } = wish.slot;
  const slot = findSlot(rules, wish.place, wish.slot);
  if (!slot || slot.startAt.getTime() !== startAt.getTime() || slot.endAt.getTime() !== endAt.getTime()) {
    throw new DomainError('bad_request', `The provider ${rules.name} has no slot ${slotId} at this place`);
  }
  if (behaviour === 'taken' || slot.places === 0 || slot.startAt <= wish.now) return 'taken';
  const times = { startAt: slot.startAt, endAt: slot.endAt };
  if (behaviour === 'later' || behaviour === 'refused_later') {
    return pending(rules, wish, { behaviour, answersAt: later(wish.now, LATER_MS), ...times });
  }
  return {
    providerId: providerIdOf(rules, wish),
    externalId: writeReference({ number: numberOf(rules, wish) }),
    status: wish.reserveOnly ? 'reserved' : 'confirmed',
    ...times,
    said: wish.reserveOnly ? 'Kept until the requisition comes' : 'Booked',
  };
}

/** The provider finds somebody within some hours, and a time on the first working day that is far enough away. */
async function request(rules: Rules, wish: VisitWish): Promise<ProviderVisit> {
  const behaviour = behaviourTo(wish);
  await undergo([behaviour], rules.slowMs);
  if (behaviour === 'taken') {
    throw new DomainError('bad_request', 'The scheduling provider refused: it has nobody to send');
  }
  const wait = behaviour === 'later' ? 24 * HOUR : (2 + Math.floor(shareOf(wish, 'wait') * 5)) * HOUR;
  const answersAt = later(wish.now, behaviour === 'refused_later' ? LATER_MS : wait);
  return {
    ...pending(rules, wish, { behaviour, answersAt, ...timeSet(wish, answersAt) }),
    startAt: null,
    endAt: null,
  };
}

/** An hour of the day after next after the answer, or of the Monday after it. */
function timeSet(wish: VisitWish, answersAt: Date): { startAt: Date; endAt: Date } {
  const { timeZone } = wish.place;
  let day = dayAfter(localDay(timeZone, answersAt), 2);
  while (weekdayOf(day) > 5) day = dayAfter(day, 1);
  const hour = 8 + Math.floor(shareOf(wish, 'hour') * 9);
  const startAt = openLocalDay(timeZone, day).reached(hour * 60);
  return { startAt, endAt: later(startAt, HOUR) };
}

interface Pending {
  readonly behaviour: Behaviour | undefined;
  readonly answersAt: Date;
  readonly startAt: Date;
  readonly endAt: Date;
}

const pending = (rules: Rules, wish: VisitWish, { behaviour, ...rest }: Pending): ProviderVisit => ({
  providerId: providerIdOf(rules, wish),
  externalId: writeReference({
    number: numberOf(rules, wish),
    open: { ...rest, isRefused: behaviour === 'refused_later', reserveOnly: wish.reserveOnly },
  }),
  status: 'pending',
  startAt: rest.startAt,
  endAt: rest.endAt,
  said: 'Received',
});

function confirmed(last: ProviderVisit): ProviderVisit {
  if (last.status === 'reserved') return { ...last, status: 'confirmed', said: 'Booked' };
  const reference = readReference(last.externalId);
  if (last.status !== 'pending' || !reference.open) return last;
  return {
    ...last,
    externalId: writeReference({ ...reference, open: { ...reference.open, reserveOnly: false } }),
  };
}

/** What became of it since it was last seen. */
function lookedAt(last: ProviderVisit, now: Date): ProviderVisit {
  const answered = last.status === 'pending' ? answeredBy(last, now) : last;
  const { status, startAt, endAt } = answered;
  if ((status !== 'confirmed' && status !== 'in_progress') || !startAt || !endAt) return answered;
  if (now >= endAt) return { ...answered, status: 'completed', said: 'The patient was seen' };
  if (now >= startAt) return { ...answered, status: 'in_progress', said: 'The patient is being seen' };
  return answered;
}

function answeredBy(last: ProviderVisit, now: Date): ProviderVisit {
  const { number, open } = readReference(last.externalId);
  if (!open || now < open.answersAt) return last;
  const answered = { ...last, externalId: writeReference({ number }) };
  if (open.isRefused) return { ...answered, status: 'cancelled', said: 'Nobody can be sent' };
  const { startAt, endAt, reserveOnly } = open;
  return reserveOnly
    ? { ...answered, startAt, endAt, status: 'reserved', said: 'Kept until the requisition comes' }
    : { ...answered, startAt, endAt, status: 'confirmed', said: 'Booked' };
}

type Asked = Pick<VisitWish, 'appointmentId'>;

const shareOf = ({ appointmentId }: Asked, of: string): number => share(`${of}/${appointmentId}`);

const digest = (rules: Rules, { appointmentId }: Asked): string =>
  createHash('sha256').update(`${rules.name}/${appointmentId}`).digest('hex');

const providerIdOf = (rules: Rules, asked: Asked): string =>
  `${rules.prefix}_${digest(rules, asked).slice(0, 20)}`;

/** What a patient would be told to bring. */
const numberOf = (rules: Rules, asked: Asked): string => digest(rules, asked).slice(20, 28).toUpperCase();
