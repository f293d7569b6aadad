/**
 * A receiver of webhooks in the service itself, so that a team sees its events arrive before it has written one: an
 * endpoint of its sandbox whose URL is the service's own. Messages go through the real sender and over HTTP; what
 * arrives is stored encrypted, the newest 100 requests for seven days.
 */
import { readTenant, type App, type Work } from '../../app.ts';
import { runAuditedChange, type TenantChangeContext } from '../../identity/management/management.ts';
import { digestToken, newSecretToken } from '../../platform/crypto/secret-token.ts';
import { isoTimestamp } from '../../platform/clock.ts';
import { requireFound } from '../../platform/errors.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { CreateEndpoint, toEndpointView } from '../webhooks/schema.ts';
import { addEndpoint, findEndpoint, inboxUrl } from '../webhooks/webhooks.ts';
import { toReceivedView, type InboxAnswer } from './schema.ts';
import { openBody, openHead } from './sealing.ts';
import * as store from './store.ts';

export { removeReceived } from './remove-received.ts';

/** The inbox and its endpoint; undefined if there is none, or its endpoint was deleted. */
async function findView(work: Work) {
  const inbox = await store.findInbox(work);
  const endpoint = inbox && (await findEndpoint(work, inbox.endpoint_id));
  if (!endpoint) return undefined;
  const { answer, created_at: createdAt } = inbox;
  return { webhook: toEndpointView(endpoint), answer, created_at: isoTimestamp(createdAt) };
}

const getView = async (work: Work) => requireFound(await findView(work), 'Webhook inbox');

export const getInbox = (app: App, tenant: Tenant) => readTenant(app, tenant, getView);

/** Creates the inbox and its endpoint, for all events; returns the one that exists. */
export async function createInbox(app: App, acting: TenantChangeContext) {
  const known = await readTenant(app, acting.tenant, findView);
  if (known) return known;
  return runAuditedChange(app, acting, async (work) => {
    await store.lockCreation(work);
    const view = (await findView(work)) ?? (await addInbox(app, work));
    return { value: view, deed: { action: 'webhook.inbox.create', subject: view.webhook.id } };
  });
}

async function addInbox(app: App, work: Work) {
  const token = newSecretToken();
  const endpoint = await addEndpoint(
    work,
    CreateEndpoint.parse({ url: inboxUrl(app.config, token), description: 'Inbox of this sandbox' }),
  );
  await store.replaceInbox(work, { endpointId: endpoint.id, digest: digestToken(token) });
  return getView(work);
}

/** Chooses what the next requests are answered with. */
export const changeInbox = (app: App, acting: TenantChangeContext, answer: InboxAnswer) =>
  runAuditedChange(app, acting, async (work) => {
    await store.lockInbox(work);
    const before = await getView(work);
    await store.updateAnswer(work, answer);
    const value = { ...before, answer };
    const deed = {
      action: 'webhook.inbox.change',
      subject: before.webhook.id,
      before: { answer: before.answer },
      after: { answer },
    };
    return { value, deed };
  });

/** The newest requests; one more than the limit if there are more. */
export const listReceived = (app: App, tenant: Tenant, page: { before: string | null; limit: number }) =>
  readTenant(app, tenant, async (work) => {
    const rows = await store.listRequests(work, page);
    return rows.map((row) => toReceivedView(row, openHead(work.cipher, row.head)));
  });

/** One request with its headers and body. */
export const getReceived = (app: App, tenant: Tenant, id: string) =>
  readTenant(app, tenant, async (work) => {
    const row = requireFound(await store.findRequest(work, id), 'Received webhook');
    const head = openHead(work.cipher, row.head);
    return { ...toReceivedView(row, head), headers: head.headers, body: openBody(work.cipher, row.body) };
  });
