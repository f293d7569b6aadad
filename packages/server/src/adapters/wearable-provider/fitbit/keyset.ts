import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { MINUTE, HOUR } from '../../../platform/clock.ts';
import type { ProviderHttpClient } from '../http-client.ts';
import { ProviderUnavailableError } from '../port.ts';

/*
 * Google signs notifications with ECDSA over P-256, in the format of its library Tink: the signature is preceded by a
 * version byte and the id of the key, and keys are published as a JSON keyset of protocol buffers.
 */

const KEYSET = 'https://www.gstatic.com/googlehealthapi/webhooks/webhooks_public_keyset.json';
const VERSION = 1;
const PREFIX_BYTES = 5;
const COORDINATE_BYTES = 32;
/** Google rotates keys about once a month. */
const LIFETIME_MS = HOUR;
/** How soon the keyset is read again because of a key that is not in it. */
const REFRESH_MS = MINUTE;

const Keyset = z.object({
  key: z.array(
    z.looseObject({
      keyId: z.number(),
      status: z.string(),
      keyData: z.looseObject({ typeUrl: z.string(), value: z.string() }),
    }),
  ),
});

interface CachedKeyset {
  readonly readAt: number;
  readonly keys: ReadonlyMap<number, KeyObject>;
}

/** One keyset per client: a client can be directed to another host. */
const keysets = new WeakMap<ProviderHttpClient, CachedKeyset>();

/** Verifies a signature. Throws ProviderUnavailableError if the keys cannot be read. */
export async function verifySignature(
  { http, now }: { readonly http: ProviderHttpClient; readonly now: Date },
  { signature, body }: { readonly signature: string; readonly body: Buffer },
): Promise<boolean> {
  const bytes = Buffer.from(signature, 'base64');
  if (bytes.length <= PREFIX_BYTES || bytes[0] !== VERSION) return false;
  const key = await findKey(http, now, bytes.readUInt32BE(1));
  return key !== undefined && verify('sha256', body, key, bytes.subarray(PREFIX_BYTES));
}

async function findKey(http: ProviderHttpClient, now: Date, id: number): Promise<KeyObject | undefined> {
  const cached = keysets.get(http);
  const age = cached === undefined ? Infinity : now.getTime() - cached.readAt;
  const known = cached?.keys.get(id);
  if (known && age >= 0 && age < LIFETIME_MS) return known;
  if (cached && age >= 0 && age < REFRESH_MS) return known;
  const keys = await readKeys(http);
  keysets.set(http, { readAt: now.getTime(), keys });
  return keys.get(id);
}

async function readKeys(http: ProviderHttpClient): Promise<ReadonlyMap<number, KeyObject>> {
  const { status, text } = await http({
    url: KEYSET,
    method: 'GET',
    headers: { accept: 'application/json' },
  });
  if (status !== 200)
    throw new ProviderUnavailableError(`Fitbit answered ${status} to the request for its keys`);
  const parsed = Keyset.safeParse(parseJson(text));
  if (!parsed.success) throw new ProviderUnavailableError('Fitbit sent keys that cannot be read');
  return new Map(
    parsed.data.key
      .filter(
        ({ status: state, keyData }) => state === 'ENABLED' && keyData.typeUrl.endsWith('EcdsaPublicKey'),
      )
      .flatMap(({ keyId, keyData }) => {
        const key = toPublicKey(Buffer.from(keyData.value, 'base64'));
        return key ? [[keyId, key] as const] : [];
      }),
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The coordinates are fields 3 and 4 of the message EcdsaPublicKey. */
function toPublicKey(message: Buffer): KeyObject | undefined {
  const fields = readBytesFields(message);
  const [x, y] = [fields.get(3), fields.get(4)].map((field) => field && toCoordinate(field));
  if (x === undefined || y === undefined) return undefined;
  try {
    return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
  } catch {
    return undefined;
  }
}

/** A coordinate is a signed number of any length: a leading zero is dropped, a missing one added. */
function toCoordinate(bytes: Buffer): string {
  const padded = Buffer.concat([Buffer.alloc(COORDINATE_BYTES), bytes]);
  return padded.subarray(padded.length - COORDINATE_BYTES).toString('base64url');
}

const VARINT = 0;
const BYTES = 2;

/** The length-delimited fields of a protocol buffer; reading ends at a field of another kind. */
function readBytesFields(message: Buffer): Map<number, Buffer> {
  const fields = new Map<number, Buffer>();
  let at = 0;
  const readVarint = (): number => {
    let value = 0;
    for (let shift = 0; at < message.length && shift < 28; shift += 7) {
      const byte = message[at] ?? 0;
      at += 1;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return value;
  };
  while (at < message.length) {
    const tag = readVarint();
    const kind = tag & 7;
    if (kind === VARINT) readVarint();
    else if (kind === BYTES) {
      const length = readVarint();
      fields.set(tag >> 3, message.subarray(at, at + length));
      at += length;
    } else break;
  }
  return fields;
}
