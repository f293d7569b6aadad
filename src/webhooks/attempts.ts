import { readTenant, type App, type Work } from '../app.ts';
import { eventBody } from '../events/events.ts';
import { found } from '../platform/errors.ts';
import type { Tenant } from '../platform/tenant.ts';
import {
  findAttempt,
  findAttempted,
  listAttempted,
  listAttempts,
  type AttemptPage,
  type AttemptRow,
} from './attempt-store.ts';
import { findBlock, listBlocks, type BlockPage } from './block-store.ts';
import { blockOf, openBlock, type BlockAttempt } from './block.ts';
import { getEndpoint, isUuid } from './endpoints.ts';
import { openExchange, shownHeaders, type Exchange } from './exchange.ts';
import { viewAttempt, type Attempt } from './message-schema.ts';
import { messageId } from './signing/signature.ts';

/** The attempts of one endpoint, the newest first, each with the beginning of the answer. */
export const readAttempts = (app: App, tenant: Tenant, page: AttemptPage) =>
  readTenant(app, tenant, async (work) => {
    await getEndpoint(work, page.endpointId);
    const alone = (await listAttempts(work, page)).map((row) => ofRow(work, row));
    const all = [...alone, ...(await attemptsInBlocks(work, page))].toSorted(newestFirst);
    return all.slice(0, page.limit).map(viewAttempt);
  });

const newestFirst = (a: Attempt, b: Attempt): number =>
  b.at.getTime() - a.at.getTime() || (a.id < b.id ? 1 : -1);

/** One attempt with what was sent and what came back. */
export const readAttempt = (
  app: App,
  tenant: Tenant,
  { endpointId, id }: { endpointId: string; id: string },
) =>
  readTenant(app, tenant, async (work) => {
    await getEndpoint(work, endpointId);
    const { attempt, body } = found(
      isUuid(id) ? await oneAttempt(work, { endpointId, id: id.toLowerCase() }) : undefined,
      'Attempt',
    );
    const { sent, response_headers } = attempt.exchange();
    const request = sent && {
      url: sent.url,
      headers: shownHeaders(messageId(attempt.eventId), sent),
      body: beginning(body),
    };
    return { ...viewAttempt(attempt), request, response_headers };
  });

async function oneAttempt(
  work: Work,
  { endpointId, id }: { endpointId: string; id: string },
): Promise<{ attempt: Attempt; body: string } | undefined> {
  const row = await findAttempt(work, { endpointId, id });
  if (row) return { attempt: ofRow(work, row), body: eventBody(work, row) };
  const block = await findBlock(work, { endpointId, id: blockOf(id) });
  const inBlock = block && openBlock(work.cipher, block).find((each) => each.id === id);
  const event = inBlock && (await findAttempted(work, inBlock.eventId));
  return event && { attempt: inOfBlock(inBlock, event.event_type), body: eventBody(work, event) };
}

const RESPONSE_PLACE = 'webhook_attempt.response';

function ofRow(work: Work, row: AttemptRow): Attempt {
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

function exchangeOf({ cipher }: Work, { exchange, response }: AttemptRow): Exchange {
  const opened = openExchange(cipher, exchange);
  return response === null ? opened : { ...opened, response: cipher.open(response, RESPONSE_PLACE) };
}

const inOfBlock = (each: BlockAttempt, eventType: string): Attempt => ({
  ...each,
  eventType,
  attempt: 1,
  error: null,
  exchange: () => each.exchange,
});

const BLOCKS = 10;

/** The attempts of a page that are in blocks, and perhaps some older ones. */
async function attemptsInBlocks(work: Work, page: AttemptPage): Promise<Attempt[]> {
  if (page.status === 'failure') return [];
  const all: Attempt[] = [];
  for (let after: BlockPage['after'] = null; ;) {
    const blocks = await listBlocks(work, { ...boundsOf(page), after, limit: BLOCKS });
    const opened = blocks.flatMap((block) => openBlock(work.cipher, block));
    all.push(
      ...(await ofLivingEvents(
        work,
        opened.filter((each) => isOn(page, each)),
      )),
    );
    const last = blocks.at(-1);
    if (!last || blocks.length < BLOCKS) return all;
    // No attempt of a further block is younger than the end of the last one.
    if (all.filter(({ at }) => at > last.last_at).length >= page.limit) return all;
    after = { lastAt: last.last_at, id: last.id };
  }
}

const boundsOf = ({ endpointId, before, until, since, eventId }: AttemptPage) => ({
  endpointId,
  until:
    [before?.at, until]
      .filter((moment) => moment !== undefined)
      .toSorted((a, b) => a.getTime() - b.getTime())[0] ?? null,
  since: since ?? null,
  eventId: eventId ?? null,
});

function isOn(
  { before, since, until, eventId }: AttemptPage,
  { id, at, eventId: about }: BlockAttempt,
): boolean {
  if (eventId !== undefined && about !== eventId) return false;
  if ((since && at < since) || (until && at >= until)) return false;
  return !before || at < before.at || (at.getTime() === before.at.getTime() && id < before.id);
}

async function ofLivingEvents(work: Work, attempts: readonly BlockAttempt[]): Promise<Attempt[]> {
  if (attempts.length === 0) return [];
  const events = await listAttempted(work, [...new Set(attempts.map(({ eventId }) => eventId))]);
  const types = new Map(events.map(({ id, event_type: type }) => [id, type]));
  return attempts.flatMap((each) => {
    const type = types.get(each.eventId);
    return type === undefined ? [] : [inOfBlock(each, type)];
  });
}

const SHOWN_BYTES = 16 * 1024;

/** What was sent is the event's and is written again, not kept. */
const beginning = (text: string): string => Buffer.from(text).subarray(0, SHOWN_BYTES).toString();
