import type { z } from 'zod';
import { isoMoment } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import { openClient, type Answer, type SchedulerClient } from './http-client.ts';
import type {
  AvailabilityAsked,
  BookAnswer,
  PlaceSlots,
  ProviderVisit,
  SchedulingProvider,
  SchedulingProviderName,
  SlotWish,
  VisitPlace,
  VisitWish,
} from './port.ts';
import { AvailabilityAnswer, placeOut, PLACES_MAX, VisitAnswer, wishOut } from './wire.ts';

export interface HttpSchedulingOptions {
  /** Ends with a slash; the paths of docs/scheduling.md follow it. */
  readonly url: string;
  readonly token: string;
  /** For a whole exchange. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;
const ZIP = /^\d{5}(-\d{4})?$/;

/** A scheduler that speaks the protocol of docs/scheduling.md. Which places it does not serve it says by no slots. */
export function httpScheduling(
  name: SchedulingProviderName,
  { url, token, timeoutMs = TIMEOUT_MS }: HttpSchedulingOptions,
): SchedulingProvider {
  const client = openClient({ name, url, token, timeoutMs });
  const refusesKind = (detail: string) => new DomainError('bad_request', `The provider ${name} ${detail}`);
  const isRequest = name === 'phlebfinders';
  return {
    name,
    kind: isRequest ? 'request' : 'slots',
    serves: (zip) => ZIP.test(zip),
    availability: async (asked) => {
      if (isRequest) throw refusesKind('sets its times by itself');
      return availability(client, asked);
    },
    book: async (wish) => {
      if (isRequest) throw refusesKind('sets its times by itself');
      return bookAnswer(client, wish, await client.ask('PUT', pathOf(wish), wishOut(wish)));
    },
    request: async (wish) => {
      if (!isRequest) throw refusesKind('wants a slot to be chosen');
      return visitIn(client, wish, await client.ask('PUT', pathOf(wish), wishOut(wish)));
    },
    reschedule: async (wish) => {
      if (isRequest) throw refusesKind('sets its times by itself');
      return bookAnswer(client, wish, await client.ask('POST', pathOf(wish, '/reschedule'), wishOut(wish)));
    },
    confirm: async (visit) => visitIn(client, visit, await client.ask('POST', pathOf(visit, '/confirm'), {})),
    cancel: async ({ appointmentId, reason, note }) => {
      const answer = await client.ask('POST', pathOf({ appointmentId }, '/cancel'), { reason, note });
      if (answer.status !== 404) client.requireDone(answer);
    },
    look: async (visit) => {
      const at = encodeURIComponent(isoMoment(visit.now));
      const answer = await client.ask('GET', pathOf(visit, `?asked_at=${at}`));
      return answer.status === 404 ? undefined : visitIn(client, visit, answer);
    },
  };
}

type Known = Pick<VisitWish, 'appointmentId'>;

const pathOf = ({ appointmentId }: Known, rest = ''): string =>
  `appointments/${encodeURIComponent(appointmentId)}${rest}`;

/** The places go in messages of PLACES_MAX, one after the other: a scheduler is not asked for more than it promised. */
async function availability(client: SchedulerClient, asked: AvailabilityAsked): Promise<PlaceSlots[]> {
  const answered: PlaceSlots[] = [];
  for (let at = 0; at < asked.places.length; at += PLACES_MAX) {
    answered.push(...(await slotsOf(client, asked, asked.places.slice(at, at + PLACES_MAX))));
  }
  return answered;
}

async function slotsOf(
  client: SchedulerClient,
  { from, days, now }: AvailabilityAsked,
  places: readonly VisitPlace[],
): Promise<PlaceSlots[]> {
  const answer = await client.ask('POST', 'availability', {
    places: places.map(placeOut),
    from,
    days,
    asked_at: isoMoment(now),
  });
  const read = readBody(client, AvailabilityAnswer, answer);
  const slots = new Map(read.places.map((place) => [place.code, place.slots]));
  return places.map((place) => ({
    place,
    slots: (slots.get(place.code) ?? [])
      .filter((slot) => slot.places > 0 && slot.startAt > now)
      .toSorted((one, other) => one.startAt.getTime() - other.startAt.getTime()),
  }));
}

function bookAnswer(client: SchedulerClient, wish: SlotWish, answer: Answer): BookAnswer {
  if (answer.status === 409 && answer.error?.code === 'slot_taken') return 'taken';
  return visitIn(client, wish, answer);
}

function visitIn(client: SchedulerClient, { appointmentId }: Known, answer: Answer): ProviderVisit {
  const { appointmentId: about, ...visit } = readBody(client, VisitAnswer, answer);
  if (about !== appointmentId) throw client.unreadable('it is about another appointment');
  return visit;
}

function readBody<T>(client: SchedulerClient, schema: z.ZodType<T>, answer: Answer): T {
  client.requireDone(answer);
  const parsed = schema.safeParse(answer.body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw client.unreadable(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
}
