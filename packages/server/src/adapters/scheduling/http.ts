import type { z } from 'zod';
import { isoTimestamp } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import { createSchedulerClient, type SchedulerResponse, type SchedulerClient } from './http-client.ts';
import type {
  AvailabilityRequest,
  BookingResult,
  LocationSlots,
  ProviderVisit,
  SchedulingProvider,
  SchedulingProviderName,
  SlotBookingRequest,
  VisitLocation,
  VisitRequest,
} from './port.ts';
import {
  AvailabilityResponseBody,
  toWireLocation,
  PLACES_MAX,
  VisitResponseBody,
  toWireVisitRequest,
} from './wire.ts';

interface HttpSchedulingOptions {
  /** Base URL of the protocol in docs/reference/scheduling-protocol.md; ends with a slash. */
  readonly url: string;
  readonly token: string;
  /** For one request, including its response. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;
const ZIP = /^\d{5}(-\d{4})?$/;

/** A scheduler behind the protocol of docs/reference/scheduling-protocol.md. It returns no slots for locations that it does not serve. */
export function createHttpSchedulingProvider(
  name: SchedulingProviderName,
  { url, token, timeoutMs = TIMEOUT_MS }: HttpSchedulingOptions,
): SchedulingProvider {
  const client = createSchedulerClient({ name, url, token, timeoutMs });
  const refusesKind = (detail: string) => new DomainError('bad_request', `The provider ${name} ${detail}`);
  const isRequest = name === 'phlebfinders';
  return {
    name,
    kind: isRequest ? 'request' : 'slots',
    serves: (zip) => ZIP.test(zip),
    availability: async (asked) => {
      if (isRequest) throw refusesKind('sets appointment times itself: request an appointment instead');
      return fetchAvailability(client, asked);
    },
    book: async (wish) => {
      if (isRequest) throw refusesKind('sets appointment times itself: request an appointment instead');
      return toBookingResult(
        client,
        wish,
        await client.send('PUT', buildPath(wish), toWireVisitRequest(wish)),
      );
    },
    request: async (wish) => {
      if (!isRequest) throw refusesKind('needs a slot: book one instead of requesting an appointment');
      return parseVisit(client, wish, await client.send('PUT', buildPath(wish), toWireVisitRequest(wish)));
    },
    reschedule: async (wish) => {
      if (isRequest) throw refusesKind('sets appointment times itself: request an appointment instead');
      return toBookingResult(
        client,
        wish,
        await client.send('POST', buildPath(wish, '/reschedule'), toWireVisitRequest(wish)),
      );
    },
    confirm: async (visit) =>
      parseVisit(client, visit, await client.send('POST', buildPath(visit, '/confirm'), {})),
    cancel: async ({ appointmentId, reason, note }) => {
      const answer = await client.send('POST', buildPath({ appointmentId }, '/cancel'), { reason, note });
      if (answer.status !== 404) client.assertSuccess(answer);
    },
    look: async (visit) => {
      const at = encodeURIComponent(isoTimestamp(visit.now));
      const answer = await client.send('GET', buildPath(visit, `?asked_at=${at}`));
      return answer.status === 404 ? undefined : parseVisit(client, visit, answer);
    },
  };
}

type AppointmentReference = Pick<VisitRequest, 'appointmentId'>;

const buildPath = ({ appointmentId }: AppointmentReference, rest = ''): string =>
  `appointments/${encodeURIComponent(appointmentId)}${rest}`;

/** Sends the locations in sequential batches of PLACES_MAX, the protocol's limit. */
async function fetchAvailability(
  client: SchedulerClient,
  asked: AvailabilityRequest,
): Promise<LocationSlots[]> {
  const answered: LocationSlots[] = [];
  for (let at = 0; at < asked.places.length; at += PLACES_MAX) {
    answered.push(...(await fetchSlots(client, asked, asked.places.slice(at, at + PLACES_MAX))));
  }
  return answered;
}

async function fetchSlots(
  client: SchedulerClient,
  { from, days, now }: AvailabilityRequest,
  places: readonly VisitLocation[],
): Promise<LocationSlots[]> {
  const answer = await client.send('POST', 'availability', {
    places: places.map(toWireLocation),
    from,
    days,
    asked_at: isoTimestamp(now),
  });
  const read = readBody(client, AvailabilityResponseBody, answer);
  const slots = new Map(read.places.map((place) => [place.code, place.slots]));
  return places.map((place) => ({
    place,
    slots: (slots.get(place.code) ?? [])
      .filter((slot) => slot.places > 0 && slot.startAt > now)
      .toSorted((one, other) => one.startAt.getTime() - other.startAt.getTime()),
  }));
}

function toBookingResult(
  client: SchedulerClient,
  wish: SlotBookingRequest,
  answer: SchedulerResponse,
): BookingResult {
  if (answer.status === 409 && answer.error?.code === 'slot_taken') return 'taken';
  return parseVisit(client, wish, answer);
}

function parseVisit(
  client: SchedulerClient,
  { appointmentId }: AppointmentReference,
  answer: SchedulerResponse,
): ProviderVisit {
  const { appointmentId: about, ...visit } = readBody(client, VisitResponseBody, answer);
  if (about !== appointmentId) throw client.createUnreadableError('it describes another appointment');
  return visit;
}

function readBody<T>(client: SchedulerClient, schema: z.ZodType<T>, answer: SchedulerResponse): T {
  client.assertSuccess(answer);
  const parsed = schema.safeParse(answer.body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw client.createUnreadableError(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
}
