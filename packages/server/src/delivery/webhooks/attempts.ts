import { readTenant, type App, type Work } from '../../app.ts';
import { serializeEventBody, messageId } from '../../events/events.ts';
import { requireFound } from '../../platform/errors.ts';
import type { Tenant } from '../../platform/tenant.ts';
import {
  findAttempt,
  findAttemptedEvent,
  listAttemptedEvents,
  listAttempts,
  type WebhookAttemptPage,
  type WebhookAttemptRow,
} from './attempt-store.ts';
import { findBlock, listBlocks, type BlockPage } from './block-store.ts';
import { blockIdOf, openBlock, type BlockAttempt } from './block.ts';
import { getEndpoint, isUuid } from './endpoints.ts';
import { openExchange, maskedHeaders, type AttemptExchange } from './exchange.ts';
import { toAttemptView, type WebhookAttempt } from './message-schema.ts';

/** The attempts of one endpoint, newest first, each with the start of the response. */
export const readAttempts = (app: App, tenant: Tenant, page: WebhookAttemptPage) =>
  readTenant(app, tenant, async (work) => {
    await getEndpoint(work, page.endpointId);
    const alone = (await listAttempts(work, page)).map((row) => attemptFromRow(work, row));
    const all = [...alone, ...(await attemptsInBlocks(work, page))].toSorted(newestFirst);
    return all.slice(0, page.limit).map(toAttemptView);
  });

const newestFirst = (a: WebhookAttempt, b: WebhookAttempt): number =>
  b.at.getTime() - a.at.getTime() || (a.id < b.id ? 1 : -1);

/** One attempt with its request and response. */
export const readAttempt = (
  app: App,
  tenant: Tenant,
  { endpointId, id }: { endpointId: string; id: string },
) =>
  readTenant(app, tenant, async (work) => {
    await getEndpoint(work, endpointId);
    const { attempt, body } = requireFound(
      isUuid(id) ? await findOneAttempt(work, { endpointId, id: id.toLowerCase() }) : undefined,
      'Attempt',
    );
    const { sent, response_headers } = attempt.exchange();
    const request = sent && {
      url: sent.url,
      headers: maskedHeaders(messageId(attempt.eventId), sent),
      body: truncateBody(body),
    };
    return { ...toAttemptView(attempt), request, response_headers };
  });

async function findOneAttempt(
  work: Work,
  { endpointId, id }: { endpointId: string; id: string },
): Promise<{ attempt: WebhookAttempt; body: string } | undefined> {
  const row = await findAttempt(work, { endpointId, id });
  if (row) return { attempt: attemptFromRow(work, row), body: serializeEventBody(work, row) };
  const block = await findBlock(work, { endpointId, id: blockIdOf(id) });
  const inBlock = block && openBlock(work.cipher, block).find((each) => each.id === id);
  const event = inBlock && (await findAttemptedEvent(work, inBlock.eventId));
  return (
    event && { attempt: attemptFromBlock(inBlock, event.event_type), body: serializeEventBody(work, event) }
  );
}

const RESPONSE_PLACE = 'webhook_attempt.response';

function attemptFromRow(work: Work, row: WebhookAttemptRow): WebhookAttempt {
  return {
    id: row.id,
    eventId: row.event_id,
    eventType: row.event_type,
    attempt: row.attempt,
    at: row.at,
    statusCode: row.status_code,
    error: row.error,
    durationMs: row.duration_ms,
    exchange: () => exchangeOf(work, row),
  };
}

function exchangeOf({ cipher }: Work, { exchange, response }: WebhookAttemptRow): AttemptExchange {
  const opened = openExchange(cipher, exchange);
  return response === null ? opened : { ...opened, response: cipher.open(response, RESPONSE_PLACE) };
}

const attemptFromBlock = (each: BlockAttempt, eventType: string): WebhookAttempt => ({
  ...each,
  eventType,
  attempt: 1,
  error: null,
  exchange: () => each.exchange,
});

const BLOCKS = 10;

/** The attempts of a page that are stored in blocks, and possibly some older ones. */
async function attemptsInBlocks(work: Work, page: WebhookAttemptPage): Promise<WebhookAttempt[]> {
  if (page.status === 'failure') return [];
  const all: WebhookAttempt[] = [];
  for (let after: BlockPage['after'] = null; ;) {
    const blocks = await listBlocks(work, { ...boundsOf(page), after, limit: BLOCKS });
    const opened = blocks.flatMap((block) => openBlock(work.cipher, block));
    all.push(
      ...(await withVisibleEvents(
        work,
        opened.filter((each) => isOnPage(page, each)),
      )),
    );
    const last = blocks.at(-1);
    if (!last || blocks.length < BLOCKS) return all;
    // No attempt of the remaining blocks is later than the end of the last one read.
    if (all.filter(({ at }) => at > last.last_at).length >= page.limit) return all;
    after = { lastAt: last.last_at, id: last.id };
  }
}

const boundsOf = ({ endpointId, before, until, since, eventId }: WebhookAttemptPage) => ({
  endpointId,
  until:
    [before?.at, until]
      .filter((moment) => moment !== undefined)
      .toSorted((a, b) => a.getTime() - b.getTime())[0] ?? null,
  since: since ?? null,
  eventId: eventId ?? null,
});

function isOnPage(
  { before, since, until, eventId }: WebhookAttemptPage,
  { id, at, eventId: about }: BlockAttempt,
): boolean {
  if (eventId !== undefined && about !== eventId) return false;
  if ((since && at < since) || (until && at >= until)) return false;
  return !before || at < before.at || (at.getTime() === before.at.getTime() && id < before.id);
}

async function withVisibleEvents(work: Work, attempts: readonly BlockAttempt[]): Promise<WebhookAttempt[]> {
  if (attempts.length === 0) return [];
  const events = await listAttemptedEvents(work, [...new Set(attempts.map(({ eventId }) => eventId))]);
  const types = new Map(events.map(({ id, event_type: type }) => [id, type]));
  return attempts.flatMap((each) => {
    const type = types.get(each.eventId);
    return type === undefined ? [] : [attemptFromBlock(each, type)];
  });
}

const SHOWN_BYTES = 16 * 1024;

/** The request body is rebuilt from the event, not stored. */
const truncateBody = (text: string): string => Buffer.from(text).subarray(0, SHOWN_BYTES).toString();
