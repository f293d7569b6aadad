import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { SCHEDULING_PROVIDERS, type VisitSlot } from '../../adapters/scheduling/port.ts';
import type { App } from '../../app.ts';
import { MINUTE, SECOND } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Tenant } from '../../platform/tenant.ts';

/** Lifetime of a booking key on the tenant's clock. A key never outlives the start of its slot. */
const KEY_LIFETIME_MS = 30 * MINUTE;

/** The content of a booking key. Its signature also binds it to the team and environment. */
export interface BookingKey {
  readonly provider: (typeof SCHEDULING_PROVIDERS)[number];
  readonly placeCode: string;
  readonly slotId: string;
  readonly startAt: Date;
  readonly endAt: Date;
  /** Capacity of the slot in patients, as reported by the provider at `asOf`. */
  readonly places: number;
  readonly asOf: Date;
  readonly expiresAt: Date;
  /** The HMAC signature, unique for each key. */
  readonly mac: Buffer;
}

type BookingKeyClaims = Omit<BookingKey, 'mac'>;

const toEpochSeconds = (moment: Date) => Math.floor(moment.getTime() / SECOND);
const epochSeconds = z.int().transform((at) => new Date(at * SECOND));

/** A compact tuple, since a response contains about a thousand keys. The first item is the format version. */
const BookingKeyPayload = z.tuple([
  z.literal(1),
  z.enum(SCHEDULING_PROVIDERS),
  z.string(),
  z.string(),
  epochSeconds,
  epochSeconds,
  z.int(),
  epochSeconds,
  epochSeconds,
  z.string(),
]);

const NONCE_BYTES = 6;

const sign = (key: Buffer, { teamId, environment }: Tenant, text: string): Buffer =>
  createHmac('sha256', key).update(`${teamId}\n${environment}\n${text}`).digest();

const deriveSigningKey = (app: App): Buffer => app.keyring.derive('appointment booking key');

/** Creates the booking keys of one response. */
export function createBookingKeyWriter(app: App, tenant: Tenant): (said: BookingKeyClaims) => string {
  const key = deriveSigningKey(app);
  // The nonce makes keys of different responses distinct, so that using one does not invalidate the other.
  const nonce = randomBytes(NONCE_BYTES).toString('base64url');
  return (said) => {
    const form: z.input<typeof BookingKeyPayload> = [
      1,
      said.provider,
      said.placeCode,
      said.slotId,
      toEpochSeconds(said.startAt),
      toEpochSeconds(said.endAt),
      said.places,
      toEpochSeconds(said.asOf),
      toEpochSeconds(said.expiresAt),
      nonce,
    ];
    const text = Buffer.from(JSON.stringify(form)).toString('base64url');
    return `${text}.${sign(key, tenant, text).toString('base64url')}`;
  };
}

/** The expiry of a key that is issued now. */
export function bookingKeyExpiry(now: Date, { startAt }: Pick<VisitSlot, 'startAt'>): Date {
  const end = new Date(now.getTime() + KEY_LIFETIME_MS);
  return startAt < end ? startAt : end;
}

/** Verifies and parses booking keys. 400 for a forged key or one of another team. Callers check the expiry. */
export function createBookingKeyReader(app: App, tenant: Tenant): (text: string) => BookingKey {
  const key = deriveSigningKey(app);
  return (text) => {
    const [said = '', signature = '', ...rest] = text.split('.');
    const expected = sign(key, tenant, said);
    const mac = Buffer.from(signature, 'base64url');
    // Also compared as text, because several base64 strings decode to the same bytes.
    const isOurs =
      rest.length === 0 &&
      mac.length === expected.length &&
      timingSafeEqual(mac, expected) &&
      signature === expected.toString('base64url');
    if (!isOurs) throw new DomainError('bad_request', 'The booking key is not valid');
    const form = BookingKeyPayload.parse(JSON.parse(Buffer.from(said, 'base64url').toString()));
    const [, provider, placeCode, slotId, startAt, endAt, places, asOf, expiresAt] = form;
    return { provider, placeCode, slotId, startAt, endAt, places, asOf, expiresAt, mac };
  };
}
