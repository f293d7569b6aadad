import { z } from 'zod';
import type { App } from '../../app.ts';
import {
  claimMessage,
  freeListenerPort,
  listListenerIdentities,
  listUnprocessedMessages,
  readMessageBytes,
  shareListener,
  unshareListener,
  type ListenerIdentity,
  type MessageClaim,
} from '../../laboratories/lab-connections/lab-connections.ts';
import { formatTable, stripControlCharacters } from '../terminal/terminal.ts';
import { defineOperation } from './operation.ts';

const ById = z.object({ id: z.guid() });
const SECONDS = 19;

export const listMessages = defineOperation(
  z.object({ limit: z.int(), before: z.guid().optional() }),
  async ({ app, output }, { limit, before }) => {
    const letters = await listUnprocessedMessages(app, { limit, before });
    const rows = letters.map(({ id, cameAt, kind, sizeBytes, owner, connectionId, reason }) => [
      id,
      cameAt.toISOString().slice(0, SECONDS),
      kind,
      String(sizeBytes),
      kind === 'unclaimed' && connectionId !== null ? `${owner} by ${connectionId}` : owner,
      reason,
    ]);
    const heads = ['ID', 'RECEIVED (UTC)', 'KIND', 'BYTES', 'CONNECTION, OR MSH-3 TO MSH-6', 'REASON'];
    output.out(rows.length === 0 ? 'There are no unprocessed messages.\n' : formatTable(heads, rows));
    const last = letters.at(-1);
    if (last && letters.length === limit) output.out(`There may be more: --before ${last.id}\n`);
  },
);

/** Raw bytes to a pipe, one line per segment to a terminal. */
export const printMessage = defineOperation(ById, async ({ app, output }, { id }) => {
  const bytes = await readMessageBytes(app, id);
  if (!output.isTerminal) return output.out(bytes);
  const lines = bytes.toString().split(/\r\n|[\r\n]/);
  output.out(`${lines.map(stripControlCharacters).join('\n')}\n`);
});

export const claimLabMessage = defineOperation(
  z.object({ id: z.guid(), connectionId: z.guid(), toAnyTeam: z.boolean() }),
  async ({ app, output }, wish) => {
    const { messageId, outcome } = await claimMessage(app, wish);
    output.out(`${describeOutcome(outcome, messageId)}\n`);
  },
);

const describeOutcome = (outcome: MessageClaim['outcome'], id: string): string =>
  ({
    claimed: `Message ${id} was assigned; a worker will process it shortly.`,
    claimed_before: `Message ${id} was already assigned to this connection; nothing was changed.`,
    repeat: `The connection already has the same message, as ${id}; the duplicate was discarded.`,
  })[outcome];

export const listListeners = defineOperation(z.object({}), async ({ app, output }) => {
  const rows = (await listListenerIdentities(app)).map((one) => [
    one.connectionId,
    one.orgId,
    one.environment,
    one.lab,
    describeState(one),
    one.port === null ? '-' : String(one.port),
    one.isShared ? one.parties : '-',
  ]);
  const heads = [
    'CONNECTION',
    'ORGANIZATION',
    'ENVIRONMENT',
    'LAB',
    'STATE',
    'PORT',
    'NAMES ON THE SHARED PORT',
  ];
  output.out(rows.length === 0 ? 'No connection receives results by MLLP.\n' : formatTable(heads, rows));
});

const describeState = ({ state, port, isShared }: ListenerIdentity): string =>
  state !== 'deleted' && port === null && !isShared ? `${state}, receives nothing` : state;

const defineListenerChange = (change: (app: App, id: string) => Promise<unknown>, done: string) =>
  defineOperation(ById, async ({ app, output }, { id }) => {
    await change(app, id);
    output.out(`${done}\n`);
  });

export const share = defineListenerChange(
  shareListener,
  'Workers accept messages with its names on the shared port within two seconds.',
);
export const unshare = defineListenerChange(
  unshareListener,
  'Workers refuse messages with its names on the shared port within two seconds.',
);
export const freePort = defineListenerChange(
  freeListenerPort,
  'The port is free. Make sure that the laboratory no longer sends to it.',
);
