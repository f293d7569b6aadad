import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { order, registration } from '../examples.ts';
import { auditVisits, type Booked } from './booking-audit.ts';
import { openCaller, persist, type Answer, type Caller } from './caller.ts';
import type { OwnAccount, OwnScene } from './own-scene.ts';
import { killService, strike, type Advance } from './scenes.ts';
import { onStage, type Stage } from './stage.ts';

const CLIENTS = 6;
const RESCHEDULED = 0.5;
/** Most of them, for the places of two weeks are soon all taken. */
const CANCELLED = 0.85;
/** So many of the first free slots are fought for; more of them while nothing is taken would make no race. */
const SLOTS = 5;
const PAUSE_MS = 5;

/** Clients book, move and cancel visits at one place; the service is killed meanwhile. */
export const bookingScene: OwnScene = {
  name: 'booking',
  title: 'service process killed -9 while visits are booked, moved and cancelled',
  run: (advance) => onStage((stage) => play(stage, advance)),
};

async function play(stage: Stage, advance: Advance): Promise<OwnAccount> {
  const caller = openCaller(stage, CLIENTS);
  const clients = await startBooking(caller);
  const struck = await strike(stage, {
    count: clients.count,
    // Each of them is a whole conversation.
    calmAfter: CLIENTS,
    underWay: caller.underWay,
    advance,
    kill: () => killService(stage),
  }).finally(clients.stop);
  const audit = await auditVisits(stage, { caller, booked: clients.booked, capacities: clients.capacities });
  await caller.close();
  const { bookings, moves, cancellations } = clients.done;
  return {
    ...struck,
    ...audit,
    answers: caller.answers,
    acknowledged: clients.count(),
    told: `${bookings} bookings, ${moves} moved, ${cancellations} cancelled`,
  };
}

const User = z.object({ user_id: z.uuid() });
const Placed = z.object({ order: z.object({ id: z.uuid() }) });
const LabTests = z.tuple([z.object({ id: z.uuid() })], z.unknown());
const Visit = z.object({ id: z.uuid(), start_at: z.string(), status: z.string() });
const Reasons = z.tuple([z.object({ id: z.uuid() })], z.unknown());
const Availability = z.object({
  slots: z.array(
    z.object({
      date: z.string(),
      slots: z.array(
        z.object({
          start: z.string(),
          booking_key: z.string().nullable(),
          num_appointments_available: z.int(),
        }),
      ),
    }),
  ),
});

const home = {
  first_line: '548 Market Street',
  city: 'San Francisco',
  state: 'CA',
  zip_code: '94104',
};

interface Booking {
  readonly caller: Caller;
  readonly labTestId: string;
  readonly reasonId: string;
  /** What every order was last told, by the order's id. */
  readonly booked: Map<string, Booked>;
  readonly done: { bookings: number; moves: number; cancellations: number };
}

async function startBooking(caller: Caller) {
  const tests = await persist(caller, { path: '/v3/lab_tests?collection_method=at_home_phlebotomy' });
  const reasons = await persist(caller, { path: '/v3/order/phlebotomy/appointment/cancellation-reasons' });
  const booking: Booking = {
    caller,
    labTestId: LabTests.parse(tests)[0].id,
    reasonId: Reasons.parse(reasons)[0].id,
    booked: new Map(),
    done: { bookings: 0, moves: 0, cancellations: 0 },
  };
  // Before anybody has booked, what is free is all that there is.
  const capacities = new Map((await slotsOf(caller)).map(({ start, free }) => [Date.parse(start), free]));
  let stopping = false;
  const client = async (name: string) => {
    for (let n = 0; !stopping; n += 1) await visit(booking, `booking/${name}/${n}`);
  };
  const all = Promise.all(Array.from({ length: CLIENTS }, (_, n) => client(String(n))));
  // Told by stop(); until then a refusal must not end the process.
  all.catch(() => {});
  const { booked, done } = booking;
  return {
    booked,
    done,
    capacities,
    count: () => done.bookings + done.moves + done.cancellations,
    stop: async () => {
      stopping = true;
      await all;
    },
  };
}

interface Slot {
  readonly start: string;
  readonly key: string;
  readonly free: number;
}

/** Free slots from tomorrow on: those of today may be too near to be moved. */
async function slotsOf(caller: Caller): Promise<Slot[]> {
  const answer = await persist(caller, { path: '/v3/order/phlebotomy/appointment/availability', body: home });
  const days = Availability.parse(answer).slots;
  return days
    .filter(({ date }) => date > (days[0]?.date ?? ''))
    .flatMap(({ slots }) => slots)
    .flatMap(({ start, booking_key: key, num_appointments_available: free }) =>
      key === null || free === 0 ? [] : { start, key, free },
    )
    .toSorted((a, b) => a.start.localeCompare(b.start));
}

/** The life of one order: its visit is booked, perhaps moved, perhaps cancelled. */
async function visit(booking: Booking, key: string): Promise<void> {
  const { caller, booked, done, reasonId } = booking;
  const id = await placeOrder(booking, key);
  const base = `/v3/order/${id}/phlebotomy/appointment`;
  const first = await untilTaken(caller, `${key}/book`, (wish) =>
    caller.ask({ ...wish, path: `${base}/book`, method: 'POST' }),
  );
  booked.set(id, first);
  done.bookings += 1;
  if (Math.random() < RESCHEDULED) {
    const moved = await untilTaken(caller, `${key}/move`, (wish) =>
      caller.ask({ ...wish, path: `${base}/reschedule`, method: 'PATCH' }),
    );
    booked.set(id, moved);
    done.moves += 1;
  }
  if (Math.random() < CANCELLED) {
    const body = { cancellation_reason_id: reasonId };
    const wish = { path: `${base}/cancel`, method: 'PATCH', key: `${key}/cancel`, body } as const;
    booked.set(id, toldOf(await persist(caller, wish)));
    done.cancellations += 1;
  }
  await sleep(PAUSE_MS);
}

async function placeOrder({ caller, labTestId }: Booking, key: string): Promise<string> {
  const user = User.parse(await persist(caller, { path: '/v2/user', key, body: { client_user_id: key } }));
  const { physician } = registration('');
  const body = { ...order(user.user_id, labTestId), physician };
  const { id } = Placed.parse(await persist(caller, { path: '/v3/order', key: `${key}/order`, body })).order;
  await caller.ask({ path: `/v3/order/${id}/test?final_status=requisition_created`, method: 'POST' });
  return id;
}

const toldOf = (answer: unknown): Booked => {
  const { id, start_at: startAt, status } = Visit.parse(answer);
  return { id, startAt: Date.parse(startAt), status };
};

const TRIES = 20;
const TAKEN = 400;

/** Takes one of the first free slots; another one, under another key, where somebody was quicker. */
async function untilTaken(
  caller: Caller,
  key: string,
  ask: (wish: { key: string; body: object }) => Promise<Answer>,
): Promise<Booked> {
  let said = '';
  for (let tried = 0; tried < TRIES; tried += 1) {
    const slots = await slotsOf(caller);
    const slot = slots[Math.floor(Math.random() * SLOTS)] ?? slots[0];
    if (!slot) throw new Error('No slot is free any more');
    const { status, text } = await ask({ key: `${key}/${tried}`, body: { booking_key: slot.key } });
    if (status === 200) return toldOf(JSON.parse(text));
    if (status !== TAKEN) throw new Error(`${key} was refused: ${status} ${text}`);
    said = text;
  }
  throw new Error(`${key} found no slot: ${said}`);
}
