import { InvalidArgumentError, type Command } from 'commander';
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
} from '../laboratories/lab-connections/lab-connections.ts';
import { openApp, type BootOptions, type OpenedApp } from '../service.ts';
import { addSimulateCommand } from './lab-simulate.ts';
import { stripControlCharacters, formatTable } from './terminal.ts';

/** Messages of laboratories that no connection could process, of all teams, and a simulated laboratory. */
export function labCommand(program: Command, ground: (level?: string) => BootOptions): void {
  const lab = program
    .command('lab')
    .description('Manage laboratory messages and listeners, and simulate a laboratory');

  lab
    .command('messages')
    .description('List dead letters and unassigned messages of all teams, newest first')
    .option('--limit <n>', 'maximum number of messages', readLimit, DEFAULT_LIMIT)
    .option('--before <id>', 'only messages received before this one', readId)
    .action(async (flags: ListMessagesFlags) => withApp(ground('warn'), (opened) => list(opened, flags)));

  lab
    .command('message')
    .description('Print a message: raw bytes to a pipe, one line per segment to a terminal')
    .argument('<id>', 'an id, as shown by `lab messages`', readId)
    .action(async (id: string) => withApp(ground('warn'), (opened) => print(opened, id)));

  lab
    .command('claim')
    .description('Assign an unassigned message to a connection, which then processes it')
    .argument('<id>', 'an id, as shown by `lab messages`', readId)
    .requiredOption('--connection <id>', 'the connection', readId)
    .option('--any-team', 'assign it although it came by a connection of another team', false)
    .action(async (id: string, { connection, anyTeam }: ClaimFlags) =>
      withApp(ground('warn'), (opened) =>
        claim(opened, { id, connectionId: connection, toAnyTeam: anyTeam }),
      ),
    );

  addListenerCommands(lab, ground);

  addSimulateCommand(lab, ground);
}

interface ClaimFlags {
  readonly connection: string;
  readonly anyTeam: boolean;
}

function addListenerCommands(lab: Command, ground: (level?: string) => BootOptions): void {
  lab
    .command('listeners')
    .description('List the connections that receive by MLLP, and what deleted ones still hold')
    .action(async () => withApp(ground('warn'), listListeners));

  for (const { name, description, run, done } of LISTENER_CHANGES) {
    lab
      .command(name)
      .description(description)
      .argument('<connection>', 'an id, as shown by `lab listeners`', readId)
      .action(async (id: string) =>
        withApp(ground('warn'), async ({ app }) => {
          await run(app, id);
          process.stdout.write(`${done}\n`);
        }),
      );
  }
}

const LISTENER_CHANGES = [
  {
    name: 'share',
    description: 'Put a production connection on the shared port, LAB_MLLP_PORT, by its names',
    run: shareListener,
    done: 'Workers accept messages with its names on the shared port within two seconds.',
  },
  {
    name: 'unshare',
    description: 'Take a connection from the shared port; its names can then be given to another one',
    run: unshareListener,
    done: 'Workers refuse messages with its names on the shared port within two seconds.',
  },
  {
    name: 'free-port',
    description: 'Free the port of a deleted connection, which can then be given to any other',
    run: freeListenerPort,
    done: 'The port is free. Make sure that the laboratory no longer sends to it.',
  },
] as const;

async function listListeners({ app }: OpenedApp): Promise<void> {
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
  process.stdout.write(
    rows.length === 0 ? 'No connection receives results by MLLP.\n' : formatTable(heads, rows),
  );
}

const describeState = ({ state, port, isShared }: ListenerIdentity): string =>
  state !== 'deleted' && port === null && !isShared ? `${state}, receives nothing` : state;

const DEFAULT_LIMIT = 100;
const LIMIT_MAX = 1000;

interface ListMessagesFlags {
  readonly limit: number;
  readonly before?: string;
}

async function withApp(given: BootOptions, run: (opened: OpenedApp) => Promise<void>): Promise<void> {
  const opened = await openApp(given);
  try {
    await run(opened);
  } finally {
    await opened.close();
  }
}

async function list({ app }: OpenedApp, { limit, before }: ListMessagesFlags): Promise<void> {
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
  process.stdout.write(rows.length === 0 ? 'There are no unprocessed messages.\n' : formatTable(heads, rows));
  const last = letters.at(-1);
  if (last && letters.length === limit) process.stdout.write(`There may be more: --before ${last.id}\n`);
}
const SECONDS = 19;

async function print({ app }: OpenedApp, id: string): Promise<void> {
  const bytes = await readMessageBytes(app, id);
  if (!process.stdout.isTTY) {
    await new Promise((resolve) => process.stdout.write(bytes, resolve));
    return;
  }
  const lines = bytes.toString().split(/\r\n|[\r\n]/);
  process.stdout.write(`${lines.map(stripControlCharacters).join('\n')}\n`);
}

async function claim({ app }: OpenedApp, wish: Parameters<typeof claimMessage>[1]): Promise<void> {
  const { messageId, outcome } = await claimMessage(app, wish);
  process.stdout.write(`${describeOutcome(outcome, messageId)}\n`);
}

const describeOutcome = (outcome: MessageClaim['outcome'], id: string): string =>
  ({
    claimed: `Message ${id} was assigned; a worker will process it shortly.`,
    claimed_before: `Message ${id} was already assigned to this connection; nothing was changed.`,
    repeat: `The connection already has the same message, as ${id}; the duplicate was discarded.`,
  })[outcome];

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function readId(text: string): string {
  const id = text.trim().toLowerCase();
  if (UUID.test(id)) return id;
  throw new InvalidArgumentError('Expected an id such as 0190a1b2-...');
}

function readLimit(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= LIMIT_MAX) return limit;
  throw new InvalidArgumentError(`Expected 1 to ${LIMIT_MAX}.`);
}
