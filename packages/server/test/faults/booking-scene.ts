import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { order, registration } from '../examples.ts';
import { auditVisits, type AcknowledgedVisit } from './booking-audit.ts';
import {
  openRetryingClient,
  sendUntilAnswered,
  type RetriedAnswer,
  type RetryingClient,
} from './retrying-client.ts';
import type { StandaloneResult, StandaloneScene } from './standalone-scene.ts';
import { killService, killRepeatedly, type ReportProgress } from './scenes.ts';
import { withFaultStage, type FaultStage } from './stage.ts';

const CLIENTS = 6;
const RESCHEDULED_SHARE = 0.5;
/** Most visits, because the slots of two weeks would soon be full. */
const CANCELLED_SHARE = 0.85;
/** Clients compete for this many of the first free slots; with more slots they would rarely collide. */
const CONTESTED_SLOTS = 5;
const PAUSE_MS = 5;

/** Clients book, reschedule and cancel visits at one location while the service is killed. */
export const bookingScene: StandaloneScene = {
  name: 'booking',
  title: 'service process killed -9 while visits are booked, rescheduled and cancelled',
  run: (advance) => withFaultStage((stage) => play(stage, advance)),
};

async function play(stage: FaultStage, advance: ReportProgress): Promise<StandaloneResult> {
  const caller = openRetryingClient(stage, CLIENTS);
  const clients = await startBooking(caller);
  const struck = await killRepeatedly(stage, {
    count: clients.count,
    // Each acknowledgement takes several requests.
    acknowledgedBetweenKills: CLIENTS,
    inFlight: caller.inFlight,
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
    told: `${bookings} bookings, ${moves} rescheduled, ${cancellations} cancelled`,
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

interface BookingClients {
  readonly caller: RetryingClient;
  readonly labTestId: string;
  readonly reasonId: string;
  /** The last acknowledged visit, by order id. */
  readonly booked: Map<string, AcknowledgedVisit>;
  readonly done: { bookings: number; moves: number; cancellations: number };
}

async function startBooking(caller: RetryingClient) {
  const tests = await sendUntilAnswered(caller, {
    path: '/v3/lab_tests?collection_method=at_home_phlebotomy',
  });
  const reasons = await sendUntilAnswered(caller, {
    path: '/v3/order/phlebotomy/appointment/cancellation-reasons',
  });
  const booking: BookingClients = {
    caller,
    labTestId: LabTests.parse(tests)[0].id,
    reasonId: Reasons.parse(reasons)[0].id,
    booked: new Map(),
    done: { bookings: 0, moves: 0, cancellations: 0 },
  };
  // Before the first booking, the free places of a slot are its capacity.
  const capacities = new Map((await slotsOf(caller)).map(({ start, free }) => [Date.parse(start), free]));
  let stopping = false;
  const client = async (name: string) => {
    for (let n = 0; !stopping; n += 1) await visit(booking, `booking/${name}/${n}`);
  };
  const all = Promise.all(Array.from({ length: CLIENTS }, (_, n) => client(String(n))));
  // stop() rethrows it; until then a rejection must not end the process.
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

interface FreeSlot {
  readonly start: string;
  readonly key: string;
  readonly free: number;
}

/** Free slots from tomorrow on: today's may be too close to be rescheduled. */
async function slotsOf(caller: RetryingClient): Promise<FreeSlot[]> {
  const answer = await sendUntilAnswered(caller, {
    path: '/v3/order/phlebotomy/appointment/availability',
    body: home,
  });
  const days = Availability.parse(answer).slots;
  return days
    .filter(({ date }) => date > (days[0]?.date ?? ''))
    .flatMap(({ slots }) => slots)
    .flatMap(({ start, booking_key: key, num_appointments_available: free }) =>
      key === null || free === 0 ? [] : { start, key, free },
    )
    .toSorted((a, b) => a.start.localeCompare(b.start));
}

/** Books the visit of a new order, sometimes reschedules it and mostly cancels it. */
async function visit(booking: BookingClients, key: string): Promise<void> {
  const { caller, booked, done, reasonId } = booking;
  const id = await placeOrder(booking, key);
  const base = `/v3/order/${id}/phlebotomy/appointment`;
  const first = await takeFreeSlot(caller, `${key}/book`, (wish) =>
    caller.send({ ...wish, path: `${base}/book`, method: 'POST' }),
  );
  booked.set(id, first);
  done.bookings += 1;
  if (Math.random() < RESCHEDULED_SHARE) {
    const moved = await takeFreeSlot(caller, `${key}/move`, (wish) =>
      caller.send({ ...wish, path: `${base}/reschedule`, method: 'PATCH' }),
    );
    booked.set(id, moved);
    done.moves += 1;
  }
  if (Math.random() < CANCELLED_SHARE) {
    const body = { cancellation_reason_id: reasonId };
    const wish = { path: `${base}/cancel`, method: 'PATCH', key: `${key}/cancel`, body } as const;
    booked.set(id, parseVisit(await sendUntilAnswered(caller, wish)));
    done.cancellations += 1;
  }
  await sleep(PAUSE_MS);
}

async function placeOrder({ caller, labTestId }: BookingClients, key: string): Promise<string> {
  const user = User.parse(
    await sendUntilAnswered(caller, { path: '/v2/user', key, body: { client_user_id: key } }),
  );
  const { physician } = registration('');
  const body = { ...order(user.user_id, labTestId), physician };
  const { id } = Placed.parse(
    await sendUntilAnswered(caller, { path: '/v3/order', key: `${key}/order`, body }),
  ).order;
  await caller.send({ path: `/v3/order/${id}/test?final_status=requisition_created`, method: 'POST' });
  return id;
}

const parseVisit = (answer: unknown): AcknowledgedVisit => {
  const { id, start_at: startAt, status } = Visit.parse(answer);
  return { id, startAt: Date.parse(startAt), status };
};

const ATTEMPTS_MAX = 20;
const SLOT_TAKEN_STATUS = 400;

/** Books one of the first free slots; if another client was faster, tries another slot with a new key. */
async function takeFreeSlot(
  caller: RetryingClient,
  key: string,
  ask: (wish: { key: string; body: object }) => Promise<RetriedAnswer>,
): Promise<AcknowledgedVisit> {
  let said = '';
  for (let tried = 0; tried < ATTEMPTS_MAX; tried += 1) {
    const slots = await slotsOf(caller);
    const slot = slots[Math.floor(Math.random() * CONTESTED_SLOTS)] ?? slots[0];
    if (!slot) throw new Error('No free slot is left');
    const { status, text } = await ask({ key: `${key}/${tried}`, body: { booking_key: slot.key } });
    if (status === 200) return parseVisit(JSON.parse(text));
    if (status !== SLOT_TAKEN_STATUS) throw new Error(`${key} was rejected: ${status} ${text}`);
    said = text;
  }
  throw new Error(`${key} found no slot: ${said}`);
}
