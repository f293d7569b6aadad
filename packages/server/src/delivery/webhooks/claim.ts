import type { App } from '../../app.ts';
import { later, SECOND } from '../../platform/clock.ts';
import type { TenantCipher } from '../../platform/crypto/cipher.ts';
import { toArrayLiteral } from '../../platform/db/array-literal.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { newId } from '../../platform/ids.ts';
import { BUNDLE_MAX, type MessageBundle } from './bundle.ts';
import { unpackBundles } from './bundle-store.ts';
import { claimBundles, type ClaimedBundles } from './claim-bundles-store.ts';
import { claimDeliveries, claimLimited, holdForDeletedUsers, type ClaimedRow } from './claim-store.ts';
import { forceQueuePlans } from './delivery-store.ts';
import { openEndpointCache, type CachedEndpoint, type EndpointCache } from './endpoint-cache.ts';
import { openEventCache, type CachedEvent, type EventCache } from './event-cache.ts';
import type { EndpointLanes } from './lanes.ts';
import { endLease, lockClaims } from './lease-store.ts';
import type { WebhookSignature } from './signing/signature.ts';

/** After this time without a renewal by the sender, its messages can be claimed by others. */
export const LEASE_MS = 60 * SECOND;
/** The bundles' share of a claim that single messages would fill. */
const CROWDED_DIVISOR = 4;
const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/**
 * A message that can be sent: its event, its endpoint (undefined if it was deleted meanwhile), and the cipher for both.
 */
export interface ClaimedMessage {
  readonly row: ClaimedRow;
  readonly event: CachedEvent;
  readonly endpoint: CachedEndpoint | undefined;
  readonly cipher: TenantCipher;
  /** The signature, if the message was signed in advance. */
  presigned: WebhookSignature | undefined;
}

interface ClaimedBatch {
  readonly claimed: ClaimedMessage[];
  /** Whether a rate-limited endpoint is among them, which may have more messages soon. */
  readonly limited: boolean;
  /** Whether more may be due already. */
  readonly more: boolean;
}

interface SenderState {
  readonly lanes: EndpointLanes;
  /** The ids that this sender has leased already. */
  leasedIds(): string[];
}

export interface DeliveryClaims {
  /** Leases about `limit` messages. Each scan over the endpoints continues where the last one stopped. */
  claim(limit: number, going: SenderState): Promise<ClaimedBatch>;
  /** Releases the lease: nothing is in flight any more. */
  release(): Promise<void>;
}

interface SenderCaches {
  readonly endpoints: EndpointCache;
  readonly events: EventCache;
}

export function openClaims(app: App): DeliveryClaims {
  const known: SenderCaches = { endpoints: openEndpointCache(), events: openEventCache() };
  const sender = newId();
  const from = { singles: NIL_UUID, bundles: NIL_UUID };
  /** Single messages filled the last claim, so bundles leave them the larger share of this one. */
  let crowded = false;
  return {
    claim: async (limit, { lanes, leasedIds }) => {
      const now = app.clock.now();
      const leasedUntil = later(now, LEASE_MS);
      const { ids, rooms } = lanes.rooms();
      const room = { ids: toArrayLiteral(ids), rooms: toArrayLiteral(rooms) };
      const claim = { now, sender, leasedUntil, flying: leasedIds(), limit, ...room };
      const bundles = Math.ceil(limit / BUNDLE_MAX / (crowded ? CROWDED_DIVISOR : 1));
      const [plain, packed, limited] = await asSystem(app.db, async (tx) => {
        const [, , ...taken] = await Promise.all([
          forceQueuePlans(tx),
          lockClaims(tx),
          claimDeliveries(tx, { ...claim, after: from.singles }),
          claimBundles(tx, { ...claim, limit: bundles, after: from.bundles }),
          claimLimited(tx, claim),
        ]);
        return taken;
      });
      const began = from.singles === NIL_UUID && from.bundles === NIL_UUID;
      crowded = plain.length >= limit;
      from.singles = crowded ? lastEndpoint(plain) : NIL_UUID;
      from.bundles = packed.last ?? NIL_UUID;
      const some = { known, rows: [...plain, ...packed.rows, ...limited], toUnpack: packed.toUnpack };
      const { claimed, unpacked } = await openLeased(app, some);
      const more = !began || crowded || packed.last !== undefined || unpacked;
      return { claimed, limited: limited.length > 0, more };
    },
    release: () => asSystem(app.db, (tx) => endLease(tx, sender)),
  };
}

interface LeasedRows {
  readonly known: SenderCaches;
  readonly rows: readonly ClaimedRow[];
  readonly toUnpack: ClaimedBundles['toUnpack'];
}

interface OpenedMessages {
  readonly claimed: ClaimedMessage[];
  /** Whether bundles were unpacked, so that there are new single messages. */
  readonly unpacked: boolean;
}

/**
 * Reads the events and endpoints of leased messages. If it fails, they are not in flight, and the next claim takes
 * them.
 */
async function openLeased(app: App, some: LeasedRows): Promise<OpenedMessages> {
  if (some.rows.length + some.toUnpack.length === 0) return { claimed: [], unpacked: false };
  return asSystem(app.db, async (tx) => {
    const [, opened] = await Promise.all([forceQueuePlans(tx), assembleMessages(app, tx, some)]);
    return opened;
  });
}

const lastEndpoint = (rows: readonly ClaimedRow[]): string =>
  rows.reduce((last, { endpoint_id }) => (endpoint_id > last ? endpoint_id : last), NIL_UUID);

/**
 * The leased messages with everything needed to send them, without held ones. A bundle with a message that must not be
 * sent is unpacked, and its messages are claimed individually.
 */
async function assembleMessages(
  app: App,
  tx: Tx,
  { known, rows, toUnpack }: LeasedRows,
): Promise<OpenedMessages> {
  const [events] = await Promise.all([known.events.load(tx, rows), known.endpoints.load(tx, rows)]);
  const mayGo = (row: ClaimedRow) => events.known(row) !== undefined && !events.isHidden(row);
  const spoiled = new Map<MessageBundle, ClaimedRow>();
  for (const row of rows) if (row.bundle && !mayGo(row)) spoiled.set(row.bundle, row);
  const torn = [...spoiled].map(([{ id }, { team_id, environment }]) => ({ team_id, environment, id }));
  const unpacked = torn.length + toUnpack.length > 0;
  if (unpacked) await unpackBundles(tx, [...toUnpack, ...torn]);
  const hidden = rows.filter((row) => !row.bundle && events.isHidden(row));
  if (hidden.length > 0) await holdForDeletedUsers(tx, hidden);
  const claimed: ClaimedMessage[] = [];
  /** Messages of one endpoint are adjacent. */
  let before: ClaimedMessage | undefined;
  for (const row of rows) {
    const event = events.known(row);
    // Also skips messages that could not be held: either just erased, or the user was restored and the next claim takes
    // them.
    if (!event || events.isHidden(row)) continue;
    if (row.bundle && spoiled.has(row.bundle)) continue;
    const cipher = app.keyring.cachedCipherOf(event.tenant) ?? (await app.keyring.cipherOf(event.tenant, tx));
    const isSame = before?.row.endpoint_id === row.endpoint_id && before.row.revision === row.revision;
    const endpoint = isSame && before ? before.endpoint : known.endpoints.get(row, cipher);
    before = { row, event, cipher, endpoint, presigned: undefined };
    claimed.push(before);
  }
  return { claimed, unpacked };
}
