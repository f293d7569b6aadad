import { DomainError } from '../../platform/errors.ts';
import type {
  AvailabilityAsked,
  BookAnswer,
  PlaceSlots,
  ProviderVisit,
  SchedulingProvider,
  SchedulingProviderName,
  SlotWish,
} from './port.ts';
import { simulatedScheduling, type SimulationOptions } from './simulated.ts';
import { BOOKKEEPING, findSlot, type SlotRules } from './simulated-slots.ts';
import type { AppointmentQuestion } from './wire.ts';

/** A simulated provider that remembers, as a real one does: its own appointments take places. */
export interface RememberingProvider {
  availability(asked: AvailabilityAsked): Promise<PlaceSlots[]>;
  /** The appointment as it was first booked, however often it is asked for. */
  put(appointmentId: string, question: AppointmentQuestion): Promise<BookAnswer>;
  /** What was never booked is booked; when the new slot is taken, the old one stands. */
  move(appointmentId: string, question: AppointmentQuestion): Promise<BookAnswer>;
  confirm(appointmentId: string): Promise<ProviderVisit | undefined>;
  cancel(appointmentId: string): Promise<ProviderVisit | undefined>;
  look(appointmentId: string, now: Date): Promise<ProviderVisit | undefined>;
}

interface Remembered {
  /** Null where the provider sets the time. */
  readonly slotId: string | null;
  readonly visit: ProviderVisit;
}

interface Memory {
  readonly simulated: SchedulingProvider;
  readonly rules: SlotRules;
  readonly appointments: Map<string, Remembered>;
  /** The appointments that hold a place of a slot. */
  readonly holders: Map<string, Set<string>>;
}

const APPOINTMENTS_MAX = 100_000;

export function rememberingProvider(
  name: SchedulingProviderName,
  options: SimulationOptions = {},
): RememberingProvider {
  const memory: Memory = {
    simulated: simulatedScheduling(name, options),
    rules: { ...BOOKKEEPING[name], seed: options.seed ?? 'aliquot' },
    appointments: new Map(),
    holders: new Map(),
  };
  const alone = oneByOne();
  return {
    availability: (asked) => availability(memory, asked),
    put: (id, question) =>
      alone(id, async () => (await look(memory, id, question.now)) ?? book(memory, id, question)),
    move: (id, question) => alone(id, () => move(memory, id, question)),
    confirm: (id) =>
      alone(id, async () => {
        const last = memory.appointments.get(id)?.visit;
        return last && keep(memory, id, await memory.simulated.confirm({ appointmentId: id, last }));
      }),
    cancel: (id) =>
      alone(id, async () => {
        const last = memory.appointments.get(id)?.visit;
        return last && keep(memory, id, { ...last, status: 'cancelled', said: 'Cancelled' });
      }),
    look: (id, now) => alone(id, () => look(memory, id, now)),
  };
}

/** Does one thing at a time for an appointment, in the order of asking. */
function oneByOne(): <T>(id: string, run: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return (id, run) => {
    const running = (last.get(id) ?? Promise.resolve()).then(run, run).finally(() => {
      if (last.get(id) === running) last.delete(id);
    });
    last.set(id, running);
    return running;
  };
}

async function availability({ simulated, holders }: Memory, asked: AvailabilityAsked): Promise<PlaceSlots[]> {
  const answered = await simulated.availability(asked);
  return answered.map(({ place, slots }) => ({
    place,
    slots: slots
      .map((slot) => ({ ...slot, places: slot.places - (holders.get(slot.slotId)?.size ?? 0) }))
      .filter(({ places }) => places > 0),
  }));
}

async function look(memory: Memory, id: string, now: Date): Promise<ProviderVisit | undefined> {
  const last = memory.appointments.get(id)?.visit;
  const seen = last && (await memory.simulated.look({ appointmentId: id, last, now }));
  return seen && keep(memory, id, seen);
}

async function move(memory: Memory, id: string, question: AppointmentQuestion): Promise<BookAnswer> {
  const known = await look(memory, id, question.now);
  if (!known) return book(memory, id, question);
  if (!question.slot) throw new DomainError('bad_request', 'A move wants a slot');
  if (known.status === 'cancelled' || known.status === 'completed') {
    throw new DomainError('bad_request', `The appointment is ${known.status}`);
  }
  if (memory.appointments.get(id)?.slotId === question.slot.slotId) return known;
  return bookSlot(memory, { ...question, appointmentId: id, slot: question.slot });
}

async function book(
  memory: Memory,
  id: string,
  { slot, ...question }: AppointmentQuestion,
): Promise<BookAnswer> {
  if (memory.appointments.size >= APPOINTMENTS_MAX) {
    throw new DomainError('unavailable', 'The simulator remembers no more appointments: start it again');
  }
  const wish = { ...question, appointmentId: id };
  if (slot) return bookSlot(memory, { ...wish, slot });
  const visit = await memory.simulated.request(wish);
  memory.appointments.set(id, { slotId: null, visit });
  return visit;
}

async function bookSlot(memory: Memory, wish: SlotWish): Promise<BookAnswer> {
  const { appointmentId: id, slot } = wish;
  if (!holdPlace(memory, wish)) return 'taken';
  const before = memory.appointments.get(id)?.slotId ?? null;
  const booked = await memory.simulated.book(wish).catch((error: unknown) => {
    letGo(memory, id, slot.slotId);
    throw error;
  });
  letGo(memory, id, booked === 'taken' ? slot.slotId : before);
  if (booked !== 'taken') memory.appointments.set(id, { slotId: slot.slotId, visit: booked });
  return booked;
}

/** Holds a place before anybody is waited for, so that two who ask at once do not both have the last. */
function holdPlace({ rules, holders }: Memory, { appointmentId, place, slot }: SlotWish): boolean {
  const places = findSlot(rules, place, slot)?.places;
  // What is no slot at all is refused by the simulated provider itself.
  if (places === undefined) return true;
  const held = holders.get(slot.slotId) ?? new Set();
  if (held.size >= places) return false;
  holders.set(slot.slotId, held.add(appointmentId));
  return true;
}

function letGo({ holders }: Memory, id: string, slotId: string | null): void {
  const held = slotId === null ? undefined : holders.get(slotId);
  held?.delete(id);
  if (slotId !== null && held?.size === 0) holders.delete(slotId);
}

function keep(memory: Memory, id: string, visit: ProviderVisit): ProviderVisit {
  const slotId = memory.appointments.get(id)?.slotId ?? null;
  memory.appointments.set(id, { slotId, visit });
  if (visit.status === 'cancelled') letGo(memory, id, slotId);
  return visit;
}
