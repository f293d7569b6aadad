import { DomainError } from '../../platform/errors.ts';
import type {
  AvailabilityRequest,
  BookingResult,
  LocationSlots,
  ProviderVisit,
  SchedulingProvider,
  SchedulingProviderName,
  SlotBookingRequest,
} from './port.ts';
import { createSimulatedSchedulingProvider, type SchedulingSimulationOptions } from './simulated.ts';
import { SLOT_GENERATION_RULES, findSlot, type SeededSlotRules } from './simulated-slots.ts';
import type { AppointmentRequestBody } from './wire.ts';

/** A simulated provider with state, like a real one: its appointments use up the capacity of slots. */
export interface StatefulSchedulingProvider {
  availability(asked: AvailabilityRequest): Promise<LocationSlots[]>;
  /** Idempotent: returns the existing appointment if there is one. */
  put(appointmentId: string, question: AppointmentRequestBody): Promise<BookingResult>;
  /** Books the appointment if it does not exist; if the new slot is taken, the old one stays booked. */
  move(appointmentId: string, question: AppointmentRequestBody): Promise<BookingResult>;
  confirm(appointmentId: string): Promise<ProviderVisit | undefined>;
  cancel(appointmentId: string): Promise<ProviderVisit | undefined>;
  look(appointmentId: string, now: Date): Promise<ProviderVisit | undefined>;
}

interface SimulatedAppointment {
  /** Null if the provider sets the time. */
  readonly slotId: string | null;
  readonly visit: ProviderVisit;
}

interface SchedulingSimulatorState {
  readonly simulated: SchedulingProvider;
  readonly rules: SeededSlotRules;
  readonly appointments: Map<string, SimulatedAppointment>;
  /** The ids of the appointments in each slot, by slot id. */
  readonly holders: Map<string, Set<string>>;
}

const APPOINTMENTS_MAX = 100_000;

export function createStatefulSchedulingProvider(
  name: SchedulingProviderName,
  options: SchedulingSimulationOptions = {},
): StatefulSchedulingProvider {
  const memory: SchedulingSimulatorState = {
    simulated: createSimulatedSchedulingProvider(name, options),
    rules: { ...SLOT_GENERATION_RULES[name], seed: options.seed ?? 'aliquot' },
    appointments: new Map(),
    holders: new Map(),
  };
  const alone = createKeyedMutex();
  return {
    availability: (asked) => listAvailability(memory, asked),
    put: (id, question) =>
      alone(
        id,
        async () => (await refreshVisit(memory, id, question.now)) ?? bookVisit(memory, id, question),
      ),
    move: (id, question) => alone(id, () => moveVisit(memory, id, question)),
    confirm: (id) =>
      alone(id, async () => {
        const last = memory.appointments.get(id)?.visit;
        return last && saveVisit(memory, id, await memory.simulated.confirm({ appointmentId: id, last }));
      }),
    cancel: (id) =>
      alone(id, async () => {
        const last = memory.appointments.get(id)?.visit;
        return last && saveVisit(memory, id, { ...last, status: 'cancelled', said: 'Cancelled' });
      }),
    look: (id, now) => alone(id, () => refreshVisit(memory, id, now)),
  };
}

/** A mutex per appointment: runs its operations one at a time, first come, first served. */
function createKeyedMutex(): <T>(id: string, run: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return (id, run) => {
    const running = (last.get(id) ?? Promise.resolve()).then(run, run).finally(() => {
      if (last.get(id) === running) last.delete(id);
    });
    last.set(id, running);
    return running;
  };
}

async function listAvailability(
  { simulated, holders }: SchedulingSimulatorState,
  asked: AvailabilityRequest,
): Promise<LocationSlots[]> {
  const answered = await simulated.availability(asked);
  return answered.map(({ place, slots }) => ({
    place,
    slots: slots
      .map((slot) => ({ ...slot, places: slot.places - (holders.get(slot.slotId)?.size ?? 0) }))
      .filter(({ places }) => places > 0),
  }));
}

async function refreshVisit(
  memory: SchedulingSimulatorState,
  id: string,
  now: Date,
): Promise<ProviderVisit | undefined> {
  const last = memory.appointments.get(id)?.visit;
  const seen = last && (await memory.simulated.look({ appointmentId: id, last, now }));
  return seen && saveVisit(memory, id, seen);
}

async function moveVisit(
  memory: SchedulingSimulatorState,
  id: string,
  question: AppointmentRequestBody,
): Promise<BookingResult> {
  const known = await refreshVisit(memory, id, question.now);
  if (!known) return bookVisit(memory, id, question);
  if (!question.slot) throw new DomainError('bad_request', 'A slot is required to reschedule');
  if (known.status === 'cancelled' || known.status === 'completed') {
    throw new DomainError('bad_request', `The appointment is ${known.status}`);
  }
  if (memory.appointments.get(id)?.slotId === question.slot.slotId) return known;
  return bookSlot(memory, { ...question, appointmentId: id, slot: question.slot });
}

async function bookVisit(
  memory: SchedulingSimulatorState,
  id: string,
  { slot, ...question }: AppointmentRequestBody,
): Promise<BookingResult> {
  if (memory.appointments.size >= APPOINTMENTS_MAX) {
    throw new DomainError('unavailable', 'The simulator is full: restart it to remove all appointments');
  }
  const wish = { ...question, appointmentId: id };
  if (slot) return bookSlot(memory, { ...wish, slot });
  const visit = await memory.simulated.request(wish);
  memory.appointments.set(id, { slotId: null, visit });
  return visit;
}

async function bookSlot(memory: SchedulingSimulatorState, wish: SlotBookingRequest): Promise<BookingResult> {
  const { appointmentId: id, slot } = wish;
  if (!reserveCapacity(memory, wish)) return 'taken';
  const before = memory.appointments.get(id)?.slotId ?? null;
  const booked = await memory.simulated.book(wish).catch((error: unknown) => {
    releaseCapacity(memory, id, slot.slotId);
    throw error;
  });
  releaseCapacity(memory, id, booked === 'taken' ? slot.slotId : before);
  if (booked !== 'taken') memory.appointments.set(id, { slotId: slot.slotId, visit: booked });
  return booked;
}

/** Reserves capacity before the first await, so that concurrent requests cannot both get the last place. */
function reserveCapacity(
  { rules, holders }: SchedulingSimulatorState,
  { appointmentId, place, slot }: SlotBookingRequest,
): boolean {
  const places = findSlot(rules, place, slot)?.places;
  // The simulated provider itself rejects an unknown slot.
  if (places === undefined) return true;
  const held = holders.get(slot.slotId) ?? new Set();
  if (held.size >= places) return false;
  holders.set(slot.slotId, held.add(appointmentId));
  return true;
}

function releaseCapacity({ holders }: SchedulingSimulatorState, id: string, slotId: string | null): void {
  const held = slotId === null ? undefined : holders.get(slotId);
  held?.delete(id);
  if (slotId !== null && held?.size === 0) holders.delete(slotId);
}

function saveVisit(memory: SchedulingSimulatorState, id: string, visit: ProviderVisit): ProviderVisit {
  const slotId = memory.appointments.get(id)?.slotId ?? null;
  memory.appointments.set(id, { slotId, visit });
  if (visit.status === 'cancelled') releaseCapacity(memory, id, slotId);
  return visit;
}
