import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { SCHEDULING_PROVIDERS, type VisitSlot } from '../../adapters/scheduling/port.ts';
import type { App } from '../../app.ts';
import { MINUTE, SECOND } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Tenant } from '../../platform/tenant.ts';

/** How long a booking key can be used, by the tenant's clock; one of a slot that begins earlier, until then. */
export const KEY_LIVES_MS = 30 * MINUTE;

/** What a booking key says. It is bound to the team and its environment as well, by its signature. */
export interface BookingKey {
  readonly provider: (typeof SCHEDULING_PROVIDERS)[number];
  readonly placeCode: string;
  readonly slotId: string;
  readonly startAt: Date;
  readonly endAt: Date;
  /** How many patients the slot could take, as the provider said at `asOf`. */
  readonly places: number;
  readonly asOf: Date;
  readonly expiresAt: Date;
  /** The signature: no other key has it. */
  readonly mac: Buffer;
}

type Said = Omit<BookingKey, 'mac'>;

const seconds = (moment: Date) => Math.floor(moment.getTime() / SECOND);
const moment = z.int().transform((at) => new Date(at * SECOND));

/** Kept short: an answer carries a thousand of them. The number in front is that of this form. */
const Form = z.tuple([
  z.literal(1),
  z.enum(SCHEDULING_PROVIDERS),
  z.string(),
  z.string(),
  moment,
  moment,
  z.int(),
  moment,
  moment,
  z.string(),
]);

const NONCE_BYTES = 6;

const signed = (key: Buffer, { teamId, environment }: Tenant, text: string): Buffer =>
  createHmac('sha256', key).update(`${teamId}\n${environment}\n${text}`).digest();

const signingKey = (app: App): Buffer => app.keyring.derive('appointment booking key');

/** Makes the booking keys of one answer. */
export function bookingKeys(app: App, tenant: Tenant): (said: Said) => string {
  const key = signingKey(app);
  // Two answers never give the same key for a slot: one that was used does not spend the other.
  const nonce = randomBytes(NONCE_BYTES).toString('base64url');
  return (said) => {
    const form: z.input<typeof Form> = [
      1,
      said.provider,
      said.placeCode,
      said.slotId,
      seconds(said.startAt),
      seconds(said.endAt),
      said.places,
      seconds(said.asOf),
      seconds(said.expiresAt),
      nonce,
    ];
    const text = Buffer.from(JSON.stringify(form)).toString('base64url');
    return `${text}.${signed(key, tenant, text).toString('base64url')}`;
  };
}

/** When the key of a slot ends that is answered now. */
export function expiryOf(now: Date, { startAt }: Pick<VisitSlot, 'startAt'>): Date {
  const end = new Date(now.getTime() + KEY_LIVES_MS);
  return startAt < end ? startAt : end;
}

/** Reads booking keys: 400 for one that was not made here, or not for this team. Whether it has expired, `now` decides. */
export function bookingKeyReader(app: App, tenant: Tenant): (text: string) => BookingKey {
  const key = signingKey(app);
  return (text) => {
    const [said = '', signature = '', ...rest] = text.split('.');
    const expected = signed(key, tenant, said);
    const mac = Buffer.from(signature, 'base64url');
    // Compared as text as well: base64 has several spellings of the same bytes, and a key has one.
    const isOurs =
      rest.length === 0 &&
      mac.length === expected.length &&
      timingSafeEqual(mac, expected) &&
      signature === expected.toString('base64url');
    if (!isOurs) throw new DomainError('bad_request', 'The booking key is not valid');
    const form = Form.parse(JSON.parse(Buffer.from(said, 'base64url').toString()));
    const [, provider, placeCode, slotId, startAt, endAt, places, asOf, expiresAt] = form;
    return { provider, placeCode, slotId, startAt, endAt, places, asOf, expiresAt, mac };
  };
}
