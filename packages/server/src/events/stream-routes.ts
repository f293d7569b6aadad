import { z } from 'zod';
import { readTenant, type App } from '../app.ts';
import { invalidField } from '../platform/errors.ts';
import type { EventOutput, ServerSentEvent } from '../platform/http/event-output.ts';
import { eventStream } from '../platform/http/file-response.ts';
import type { Http } from '../platform/http/http.ts';
import { serializerOf } from '../platform/http/serializer.ts';
import type { Tenant } from '../platform/tenant.ts';
import { requireReadableCursor } from './cursor.ts';
import { EventNotice, toEventNotice } from './event-notice.ts';
import { openLiveEvents, type EventNoticeView, type LiveEvents } from './live-events.ts';
import * as store from './store.ts';

const PAGE = 200;

/** The type of all other messages: a browser listens to types by name, and new types of events must reach it, too. */
const NOTICE = 'event';

/** The type of the message that says that events may be missing. */
const RESET = 'stream.reset';

const Query = z.object({
  after: z
    .int()
    .min(0)
    .optional()
    .describe(
      'The position of the last event that you know; 0 starts at the oldest event that is kept. Default: the newest ' +
        'event, so that only later ones follow. The header Last-Event-ID takes precedence.',
    ),
});

const EventNoticeList = z.object({
  data: z.array(EventNotice),
  next_cursor: z
    .int()
    .describe('Pass it as `after` to read on, or to open the stream; present even if this page is empty.'),
});

const DESCRIPTION =
  'With `Accept: text/event-stream` the response stays open (server-sent events, as `EventSource` reads them). Each ' +
  'message has the position of the event as `id`, the type `event`, and an EventNotice as `data`: ids, no data of ' +
  'patients. Read the objects that you show again. A client that connects again with the header Last-Event-ID, as ' +
  'browsers do, receives every later event once. If events after that position were removed, or the position is not ' +
  `of this log, the first message is \`${RESET}\`: read everything again. A comment follows every 15 seconds without ` +
  'events. The response ends when the key or session ends or loses its permission (within three seconds), when the ' +
  'server stops, and when the client reads too slowly. An open stream does not keep a session from its idle time-out. ' +
  '429 beyond EVENT_STREAMS_PER_TEAM. An `EventSource` has no headers: with a session, give the team in the query as ' +
  '`session_team_id` and `session_environment`. Otherwise the response is JSON with up to 200 notices after `after`, ' +
  'for networks that do not pass streams; its cursors fail like those of the event log (422 and 410).';

/** Follows the event log of a team without its data (ours, beyond the contract). */
export function eventStreamRoutes(http: Http, app: App): void {
  const live = openLiveEvents(app);
  http.get('/v1/events/stream', {
    schema: {
      operationId: 'streamEvents',
      summary: 'Stream events as they happen',
      description: DESCRIPTION,
      tag: 'Webhooks',
      isPassive: true,
      query: Query,
      response: { 200: EventNoticeList },
      file: eventStream(),
    },
    handler: async ({ work, query }) => {
      const bounds = await store.getLogBounds(work);
      const after = query.after ?? bounds.newest;
      requireReadableCursor(after, bounds);
      const rows = await store.listEvents(work, { after, limit: PAGE });
      const data = rows.map((row) => toEventNotice(work, row));
      return { data, next_cursor: data.at(-1)?.position ?? after };
    },
    stream: async ({ tenant, query, lastEventId, output }) => {
      const asked = lastEventId === undefined ? query.after : parsePosition(lastEventId);
      return followLog(live, { app, tenant, asked, output });
    },
  });
}

function parsePosition(text: string): number {
  const position = /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  if (position !== undefined) return position;
  throw invalidField(['header', 'Last-Event-ID'], 'expected the id of a message of this stream');
}

interface StreamStart {
  readonly app: App;
  readonly tenant: Tenant;
  /** The position of the last event that the client knows. */
  readonly asked: number | undefined;
  readonly output: EventOutput;
}

/** Browsers do not connect again after an error status, so a position that cannot be continued is a message. */
async function followLog(live: LiveEvents, { app, tenant, asked, output }: StreamStart): Promise<() => void> {
  const { newest, removedTo } = await readTenant(app, tenant, store.getLogBounds);
  const isLost = asked !== undefined && (asked > newest || (asked > 0 && asked < removedTo));
  const position = asked === undefined || isLost ? newest : asked;
  const message = { event: RESET, data: JSON.stringify({ position }) };
  output.send([{ id: String(position), ...(isLost && { message }) }]);
  return live.follow({
    tenant,
    position,
    get isOpen() {
      return output.isOpen;
    },
    receive: (notices) => output.send(notices.map(toMessage)),
    drained: () => output.drained(),
    end: (reason) => output.end(reason),
  });
}

const toMessage = (notice: EventNoticeView): ServerSentEvent => ({
  id: String(notice.position),
  message: { event: NOTICE, data: serializerOf(EventNotice)(notice) },
});
