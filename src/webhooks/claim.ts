import type { App } from '../app.ts';
import { later, SECOND } from '../platform/clock.ts';
import type { TenantCipher } from '../platform/crypto/cipher.ts';
import { arrayText } from '../platform/db/array-text.ts';
import type { Tx } from '../platform/db/database.ts';
import { asSystem } from '../platform/db/transact.ts';
import { newId } from '../platform/ids.ts';
import { BUNDLE_MAX, type Bundle } from './bundle.ts';
import { unpackBundles } from './bundle-store.ts';
import { claimBundles, type ClaimedBundles } from './claim-bundles-store.ts';
import { claimDeliveries, claimLimited, holdHidden, type ClaimedRow } from './claim-store.ts';
import { forQueue } from './delivery-store.ts';
import { openKnownEndpoints, type KnownEndpoint, type KnownEndpoints } from './known-endpoints.ts';
import { openKnownEvents, type KnownEvent, type KnownEvents } from './known-events.ts';
import type { Lanes } from './lanes.ts';
import { endLease, lockClaims } from './lease-store.ts';
import type { Signature } from './signing/signature.ts';

/** After this time without a word from the sender, its messages are anybody's again. */
export const LEASE_MS = 60 * SECOND;
/** What bundles get of a claim that single messages would fill. */
const CROWDED_PART = 4;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** A message that may be sent: its event, its endpoint (undefined if it was deleted meanwhile), what opens both. */
export interface Claimed {
  readonly row: ClaimedRow;
  readonly event: KnownEvent;
  readonly endpoint: KnownEndpoint | undefined;
  readonly cipher: TenantCipher;
  /** Where the message was signed before its turn. */
  signed: Signature | undefined;
}

export interface Taken {
  readonly claimed: Claimed[];
  /** Some are of an endpoint with a rate limit, which may have more in a moment. */
  readonly limited: boolean;
  /** There may be more at once. */
  readonly more: boolean;
}

export interface Going {
  readonly lanes: Lanes;
  /** What this sender has leased already. */
  onTheWay(): string[];
}

export interface Claims {
  /** Leases about `limit` messages; the walks over the endpoints go on where the last ones ended. */
  take(limit: number, going: Going): Promise<Taken>;
  /** Nothing is on its way any more. */
  end(): Promise<void>;
}

interface Known {
  readonly endpoints: KnownEndpoints;
  readonly events: KnownEvents;
}

export function openClaims(app: App): Claims {
  const known: Known = { endpoints: openKnownEndpoints(), events: openKnownEvents() };
  const sender = newId();
  const from = { singles: BEFORE_ALL, bundles: BEFORE_ALL };
  /** Single messages filled the last claim: the bundles leave them the larger part of this one. */
  let crowded = false;
  return {
    take: async (limit, { lanes, onTheWay }) => {
      const now = app.clock.now();
      const leasedUntil = later(now, LEASE_MS);
      const { ids, rooms } = lanes.rooms();
      const room = { ids: arrayText(ids), rooms: arrayText(rooms) };
      const claim = { now, sender, leasedUntil, flying: onTheWay(), limit, ...room };
      const bundles = Math.ceil(limit / BUNDLE_MAX / (crowded ? CROWDED_PART : 1));
      const [plain, packed, limited] = await asSystem(app.db, async (tx) => {
        const [, , ...taken] = await Promise.all([
          forQueue(tx),
          lockClaims(tx),
          claimDeliveries(tx, { ...claim, after: from.singles }),
          claimBundles(tx, { ...claim, limit: bundles, after: from.bundles }),
          claimLimited(tx, claim),
        ]);
        return taken;
      });
      const began = from.singles === BEFORE_ALL && from.bundles === BEFORE_ALL;
      crowded = plain.length >= limit;
      from.singles = crowded ? lastEndpoint(plain) : BEFORE_ALL;
      from.bundles = packed.last ?? BEFORE_ALL;
      const some = { known, rows: [...plain, ...packed.rows, ...limited], toUnpack: packed.toUnpack };
      const { claimed, unpacked } = await opened(app, some);
      const more = !began || crowded || packed.last !== undefined || unpacked;
      return { claimed, limited: limited.length > 0, more };
    },
    end: () => asSystem(app.db, (tx) => endLease(tx, sender)),
  };
}

interface ToOpen {
  readonly known: Known;
  readonly rows: readonly ClaimedRow[];
  readonly toUnpack: ClaimedBundles['toUnpack'];
}

interface Opened {
  readonly claimed: Claimed[];
  /** There are messages now that wait by themselves. */
  readonly unpacked: boolean;
}

/** Reads what belongs to leased messages. Should it fail, they are not on their way, and the next claim takes them. */
async function opened(app: App, some: ToOpen): Promise<Opened> {
  if (some.rows.length + some.toUnpack.length === 0) return { claimed: [], unpacked: false };
  return asSystem(app.db, async (tx) => {
    const [, opened] = await Promise.all([forQueue(tx), together(app, tx, some)]);
    return opened;
  });
}

const lastEndpoint = (rows: readonly ClaimedRow[]): string =>
  rows.reduce((last, { endpoint_id }) => (endpoint_id > last ? endpoint_id : last), BEFORE_ALL);

/**
 * What was leased with all that it takes to send it, but for what is held. A bundle with a message that may not go is
 * unpacked, and its messages are taken by themselves.
 */
async function together(app: App, tx: Tx, { known, rows, toUnpack }: ToOpen): Promise<Opened> {
  const [events] = await Promise.all([known.events.of(tx, rows), known.endpoints.remember(tx, rows)]);
  const mayGo = (row: ClaimedRow) => events.known(row) !== undefined && !events.isHidden(row);
  const spoiled = new Map<Bundle, ClaimedRow>();
  for (const row of rows) if (row.bundle && !mayGo(row)) spoiled.set(row.bundle, row);
  const torn = [...spoiled].map(([{ id }, { team_id, environment }]) => ({ team_id, environment, id }));
  const unpacked = torn.length + toUnpack.length > 0;
  if (unpacked) await unpackBundles(tx, [...toUnpack, ...torn]);
  const hidden = rows.filter((row) => !row.bundle && events.isHidden(row));
  if (hidden.length > 0) await holdHidden(tx, hidden);
  const claimed: Claimed[] = [];
  /** Messages of one endpoint stand together. */
  let before: Claimed | undefined;
  for (const row of rows) {
    const event = events.known(row);
    // Also what was not held: it was erased in this moment, or its user came back and the next claim takes it.
    if (!event || events.isHidden(row)) continue;
    if (row.bundle && spoiled.has(row.bundle)) continue;
    const cipher = app.keyring.atHand(event.tenant) ?? (await app.keyring.of(event.tenant, tx));
    const isSame = before?.row.endpoint_id === row.endpoint_id && before.row.revision === row.revision;
    const endpoint = isSame && before ? before.endpoint : known.endpoints.of(row, cipher);
    before = { row, event, cipher, endpoint, signed: undefined };
    claimed.push(before);
  }
  return { claimed, unpacked };
}
