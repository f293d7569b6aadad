import { inTenant, type App } from '../../app.ts';
import { eventOfMessage } from '../../events/events.ts';
import { digestToken } from '../../platform/crypto/secret-token.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { newId } from '../../platform/ids.ts';
import type { RequestHeaders } from '../../platform/http/serve-open.ts';
import { setTimer } from '../../platform/jobs/timers.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { findEndpoint, openSecrets, signingKeys, storableHeaders } from '../webhooks/webhooks.ts';
import { removalTimer, removeReceived } from './remove-received.ts';
import type { InboxAnswer, RequestHead } from './schema.ts';
import { sealBody, sealHead } from './sealing.ts';
import * as store from './store.ts';
import { verifySignature } from './verify-signature.ts';

/** How many requests a sandbox keeps. */
const RECEIVED_MAX = 100;

interface IncomingWebhook {
  readonly token: string;
  readonly headers: RequestHeaders;
  readonly body: Buffer;
}

/** The tenant of a token, or undefined. */
export const findInboxTenant = (app: App, token: string) =>
  asSystem(app.db, (tx) => store.findTenantOfToken(tx, digestToken(token)));

/** Stores a request. Returns how to answer it; undefined if the inbox was replaced meanwhile. */
export async function storeRequest(
  app: App,
  tenant: Tenant,
  incoming: IncomingWebhook,
): Promise<InboxAnswer | undefined> {
  const at = app.clock.now();
  return inTenant(app, tenant, async (work) => {
    const inbox = await store.lockInbox(work);
    if (!inbox?.token_digest.equals(digestToken(incoming.token))) return undefined;
    const endpoint = await findEndpoint(work, inbox.endpoint_id);
    if (!endpoint) return undefined;
    const header = headerReader(incoming.headers);
    const verification = verifySignature({
      header,
      body: incoming.body,
      keys: signingKeys(openSecrets(work.cipher, endpoint.secrets), work.now),
      at,
    });
    const head = describeHead(incoming, header);
    // A stranger who knows the URL could name any event.
    const eventId = verification === 'valid' ? (eventOfMessage(head.message_id ?? '') ?? null) : null;
    // It was erased while its message was under way: what it says must not come back.
    if (eventId !== null && !(await store.lockEvent(work, eventId))) return inbox.answer;
    await store.insertRequest(work, {
      id: newId(),
      received_at: work.now,
      event_id: eventId,
      verification,
      answer: inbox.answer,
      size_bytes: incoming.body.length,
      head: sealHead(work.cipher, head),
      body: sealBody(work.cipher, incoming.body),
    });
    await store.removeBeyond(work, RECEIVED_MAX);
    await setTimer(work, removeReceived, removalTimer(work.now));
    return inbox.answer;
  });
}

const headerReader =
  (headers: RequestHeaders) =>
  (name: string): string | undefined => {
    const value = headers[name];
    return Array.isArray(value) ? value[0] : value;
  };

const TEXT_MAX = 200;
const SIGNATURES = ['webhook-signature', 'svix-signature'] as const;

/** Secrets in headers are masked; a signature is none, and is what the reader wants to compare. */
function describeHead(
  { headers, body }: IncomingWebhook,
  header: (name: string) => string | undefined,
): RequestHead {
  const shown = storableHeaders({ ...headers });
  for (const name of SIGNATURES) {
    const value = header(name);
    if (value !== undefined) shown[name] = value.slice(0, 1024);
  }
  return {
    message_id: header('webhook-id')?.slice(0, TEXT_MAX) ?? null,
    event_type: eventTypeOf(body),
    headers: shown,
  };
}

function eventTypeOf(body: Buffer): string | null {
  try {
    const parsed: unknown = JSON.parse(body.toString());
    if (typeof parsed !== 'object' || parsed === null || !('event_type' in parsed)) return null;
    return typeof parsed.event_type === 'string' ? parsed.event_type.slice(0, TEXT_MAX) : null;
  } catch {
    return null;
  }
}
