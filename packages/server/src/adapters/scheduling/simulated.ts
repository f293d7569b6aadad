import { createHash } from 'node:crypto';
import { HOUR, later, MINUTE } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import { addDays, localDay, openLocalDay, weekdayOf } from '../../platform/time-zone.ts';
import {
  getLocationBehavior,
  getPatientBehavior,
  applyBehavior,
  type SimulatedBehavior,
} from './simulated-behavior.ts';
import {
  SCHEDULING_PROVIDERS,
  type AvailabilityRequest,
  type BookingResult,
  type LocationSlots,
  type ProviderVisit,
  type SchedulingProvider,
  type SchedulingProviderName,
  type SlotBookingRequest,
  type VisitRequest,
} from './port.ts';
import { parseReference, formatReference } from './simulated-reference.ts';
import {
  SLOT_GENERATION_RULES,
  findSlot,
  hashToUnitInterval,
  listFreeSlots,
  type SeededSlotRules,
} from './simulated-slots.ts';

export interface SchedulingSimulationOptions {
  /** Changes which slots are full. */
  readonly seed?: string;
  /** Delay of the `slow` behavior. */
  readonly slowMs?: number;
}

/** Longer than the shortest booking timeout of a caller, and short enough to try by hand. */
const SLOW_MS = 4000;
/** Delay until a `later` decision. */
const LATER_DECISION_MS = 5 * MINUTE;

interface SimulatedProviderRules extends SeededSlotRules {
  readonly name: SchedulingProviderName;
  readonly slowMs: number;
}

const servesZip = (zip: string): boolean => US_ZIP.test(zip) && !MILITARY_ZIP.test(zip);
/** ZIP codes start at 00501 (Holtsville). */
const US_ZIP = /^(?!00[0-4])(?!00500)\d{5}(-\d{4})?$/;
/** Military mail (APO, FPO) has no location to visit. */
const MILITARY_ZIP = /^(09|340|96[2-6])/;

/**
 * A stateless simulated provider. Its responses depend only on the location, the appointment id and the given time, so
 * they are the same in every process and after every restart. It does not count our own appointments against the
 * capacity of a slot: callers must.
 */
export function createSimulatedSchedulingProvider(
  name: SchedulingProviderName,
  { seed = 'aliquot', slowMs = SLOW_MS }: SchedulingSimulationOptions = {},
): SchedulingProvider {
  const rules: SimulatedProviderRules = { ...SLOT_GENERATION_RULES[name], name, seed, slowMs };
  const isRequest = name === 'phlebfinders';
  const only = (kind: 'slots' | 'request') => {
    if ((kind === 'request') === isRequest) return;
    const detail = isRequest
      ? 'sets appointment times itself: request an appointment instead'
      : 'needs a slot: book one instead of requesting an appointment';
    throw new DomainError('bad_request', `The provider ${name} ${detail}`);
  };
  const slotBooked = async (wish: SlotBookingRequest) => {
    only('slots');
    return bookVisit(rules, wish);
  };
  return {
    name,
    kind: isRequest ? 'request' : 'slots',
    serves: servesZip,
    availability: async (asked) => {
      only('slots');
      return listAvailability(rules, asked);
    },
    book: slotBooked,
    request: async (wish) => {
      only('request');
      return requestVisit(rules, wish);
    },
    reschedule: slotBooked,
    confirm: async ({ last }) => confirmVisit(last),
    cancel: async () => {},
    look: async ({ last, now }) => last && advanceVisit(last, now),
  };
}

/** All four providers, for a sandbox. */
export const createSimulatedSchedulingProviders = (
  options: SchedulingSimulationOptions = {},
): Readonly<Record<SchedulingProviderName, SchedulingProvider>> => {
  const [quest, sonora, getlabs, phlebfinders] = SCHEDULING_PROVIDERS.map((name) =>
    createSimulatedSchedulingProvider(name, options),
  );
  if (!quest || !sonora || !getlabs || !phlebfinders) throw new Error('A provider is missing');
  return { quest, sonora_quest: sonora, getlabs, phlebfinders };
};

async function listAvailability(
  rules: SimulatedProviderRules,
  asked: AvailabilityRequest,
): Promise<LocationSlots[]> {
  await applyBehavior(asked.places.map(getLocationBehavior), rules.slowMs);
  return asked.places.map((place) => ({
    place,
    slots: getLocationBehavior(place) === 'full' ? [] : listFreeSlots(rules, place, asked),
  }));
}

async function bookVisit(rules: SimulatedProviderRules, wish: SlotBookingRequest): Promise<BookingResult> {
  const behaviour = getPatientBehavior(wish);
  await applyBehavior([behaviour], rules.slowMs);
  const { slotId, startAt, endAt } = wish.slot;
  const slot = findSlot(rules, wish.place, wish.slot);
  if (!slot || slot.startAt.getTime() !== startAt.getTime() || slot.endAt.getTime() !== endAt.getTime()) {
    throw new DomainError('bad_request', `The provider ${rules.name} has no slot ${slotId} at this location`);
  }
  if (behaviour === 'taken' || slot.places === 0 || slot.startAt <= wish.now) return 'taken';
  const times = { startAt: slot.startAt, endAt: slot.endAt };
  if (behaviour === 'later' || behaviour === 'refused_later') {
    return toPendingVisit(rules, wish, {
      behaviour,
      answersAt: later(wish.now, LATER_DECISION_MS),
      ...times,
    });
  }
  return {
    providerId: createProviderId(rules, wish),
    externalId: formatReference({ number: createConfirmationNumber(rules, wish) }),
    status: wish.reserveOnly ? 'reserved' : 'confirmed',
    ...times,
    said: wish.reserveOnly ? 'Reserved until the requisition arrives' : 'Booked',
  };
}

/** The provider decides after some hours, and sets a time on the first working day at least two days later. */
async function requestVisit(rules: SimulatedProviderRules, wish: VisitRequest): Promise<ProviderVisit> {
  const behaviour = getPatientBehavior(wish);
  await applyBehavior([behaviour], rules.slowMs);
  if (behaviour === 'taken') {
    throw new DomainError('bad_request', 'The scheduling provider refused: it has no phlebotomist available');
  }
  const wait = behaviour === 'later' ? 24 * HOUR : (2 + Math.floor(hashAppointment(wish, 'wait') * 5)) * HOUR;
  const answersAt = later(wish.now, behaviour === 'refused_later' ? LATER_DECISION_MS : wait);
  return {
    ...toPendingVisit(rules, wish, { behaviour, answersAt, ...chooseRequestedTime(wish, answersAt) }),
    startAt: null,
    endAt: null,
  };
}

/** An hour two days after the decision, or on the following Monday if that is a weekend. */
function chooseRequestedTime(wish: VisitRequest, answersAt: Date): { startAt: Date; endAt: Date } {
  const { timeZone } = wish.place;
  let day = addDays(localDay(timeZone, answersAt), 2);
  while (weekdayOf(day) > 5) day = addDays(day, 1);
  const hour = 8 + Math.floor(hashAppointment(wish, 'hour') * 9);
  const startAt = openLocalDay(timeZone, day).atOrAfterGap(hour * 60);
  return { startAt, endAt: later(startAt, HOUR) };
}

interface PendingVisit {
  readonly behaviour: SimulatedBehavior | undefined;
  readonly answersAt: Date;
  readonly startAt: Date;
  readonly endAt: Date;
}

const toPendingVisit = (
  rules: SimulatedProviderRules,
  wish: VisitRequest,
  { behaviour, ...rest }: PendingVisit,
): ProviderVisit => ({
  providerId: createProviderId(rules, wish),
  externalId: formatReference({
    number: createConfirmationNumber(rules, wish),
    open: { ...rest, isRefused: behaviour === 'refused_later', reserveOnly: wish.reserveOnly },
  }),
  status: 'pending',
  startAt: rest.startAt,
  endAt: rest.endAt,
  said: 'Received',
});

function confirmVisit(last: ProviderVisit): ProviderVisit {
  if (last.status === 'reserved') return { ...last, status: 'confirmed', said: 'Booked' };
  const reference = parseReference(last.externalId);
  if (last.status !== 'pending' || !reference.open) return last;
  return {
    ...last,
    externalId: formatReference({ ...reference, open: { ...reference.open, reserveOnly: false } }),
  };
}

/** Advances the visit from its last known state to its state now. */
function advanceVisit(last: ProviderVisit, now: Date): ProviderVisit {
  const answered = last.status === 'pending' ? resolvePendingVisit(last, now) : last;
  const { status, startAt, endAt } = answered;
  if ((status !== 'confirmed' && status !== 'in_progress') || !startAt || !endAt) return answered;
  if (now >= endAt) return { ...answered, status: 'completed', said: 'The patient was seen' };
  if (now >= startAt) return { ...answered, status: 'in_progress', said: 'The patient is being seen' };
  return answered;
}

function resolvePendingVisit(last: ProviderVisit, now: Date): ProviderVisit {
  const { number, open } = parseReference(last.externalId);
  if (!open || now < open.answersAt) return last;
  const answered = { ...last, externalId: formatReference({ number }) };
  if (open.isRefused) return { ...answered, status: 'cancelled', said: 'Nobody can be sent' };
  const { startAt, endAt, reserveOnly } = open;
  return reserveOnly
    ? { ...answered, startAt, endAt, status: 'reserved', said: 'Reserved until the requisition arrives' }
    : { ...answered, startAt, endAt, status: 'confirmed', said: 'Booked' };
}

type AppointmentKey = Pick<VisitRequest, 'appointmentId'>;

const hashAppointment = ({ appointmentId }: AppointmentKey, of: string): number =>
  hashToUnitInterval(`${of}/${appointmentId}`);

const digest = (rules: SimulatedProviderRules, { appointmentId }: AppointmentKey): string =>
  createHash('sha256').update(`${rules.name}/${appointmentId}`).digest('hex');

const createProviderId = (rules: SimulatedProviderRules, asked: AppointmentKey): string =>
  `${rules.prefix}_${digest(rules, asked).slice(0, 20)}`;

/** The confirmation number that a patient would bring. */
const createConfirmationNumber = (rules: SimulatedProviderRules, asked: AppointmentKey): string =>
  digest(rules, asked).slice(20, 28).toUpperCase();
