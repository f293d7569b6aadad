import { InvalidArgumentError, type Command } from 'commander';
import {
  claimLetter,
  listLetters,
  readLetter,
  type Claimed,
} from '../lab-testing/lab-connections/lab-connections.ts';
import { openApp, type Ground, type Opened } from '../service.ts';
import { withSimulate } from './lab-simulate.ts';
import { harmless, table } from './terminal.ts';

/** What laboratories sent and nobody has, over all teams, and a laboratory to try connections with. */
export function labCommand(program: Command, ground: (level?: string) => Ground): void {
  const lab = program.command('lab').description('Messages of laboratories, and a simulated laboratory');

  lab
    .command('messages')
    .description('List dead letters and messages of nobody, of all teams, newest first')
    .option('--limit <n>', 'at most so many', readLimit, USUAL_LIMIT)
    .option('--before <id>', 'only those that came before this one', readId)
    .action(async (flags: ListFlags) => withApp(ground('warn'), (opened) => list(opened, flags)));

  lab
    .command('message')
    .description('Print a message: to a pipe byte for byte, to a terminal a line for each segment')
    .argument('<id>', 'as `lab messages` shows it', readId)
    .action(async (id: string) => withApp(ground('warn'), (opened) => print(opened, id)));

  lab
    .command('claim')
    .description('Give a message of nobody to a connection, which takes it like any other')
    .argument('<id>', 'as `lab messages` shows it', readId)
    .requiredOption('--connection <id>', 'the connection', readId)
    .action(async (id: string, { connection }: { connection: string }) =>
      withApp(ground('warn'), (opened) => claim(opened, { id, connectionId: connection })),
    );

  withSimulate(lab, ground);
}

const USUAL_LIMIT = 100;
const LIMIT_MAX = 1000;

interface ListFlags {
  readonly limit: number;
  readonly before?: string;
}

async function withApp(given: Ground, run: (opened: Opened) => Promise<void>): Promise<void> {
  const opened = await openApp(given);
  try {
    await run(opened);
  } finally {
    await opened.close();
  }
}

async function list({ app }: Opened, { limit, before }: ListFlags): Promise<void> {
  const letters = await listLetters(app, { limit, before });
  const rows = letters.map(({ id, cameAt, kind, sizeBytes, whose, reason }) => [
    id,
    cameAt.toISOString().slice(0, SECONDS),
    kind,
    String(sizeBytes),
    whose,
    reason,
  ]);
  const heads = ['ID', 'CAME (UTC)', 'KIND', 'BYTES', 'CONNECTION, OR MSH-3 TO MSH-6', 'REASON'];
  process.stdout.write(rows.length === 0 ? 'No message waits for anybody.\n' : table(heads, rows));
  const last = letters.at(-1);
  if (last && letters.length === limit) process.stdout.write(`There may be more: --before ${last.id}\n`);
}
const SECONDS = 19;

async function print({ app }: Opened, id: string): Promise<void> {
  const bytes = await readLetter(app, id);
  if (!process.stdout.isTTY) {
    await new Promise((resolve) => process.stdout.write(bytes, resolve));
    return;
  }
  const lines = bytes.toString().split(/\r\n|[\r\n]/);
  process.stdout.write(`${lines.map(harmless).join('\n')}\n`);
}

async function claim({ app }: Opened, wish: { id: string; connectionId: string }): Promise<void> {
  const { messageId, outcome } = await claimLetter(app, wish);
  process.stdout.write(`${told(outcome, messageId)}\n`);
}

const told = (outcome: Claimed['outcome'], id: string): string =>
  ({
    claimed: `Message ${id} is the connection’s; a worker takes it in a moment.`,
    claimed_before: `Message ${id} is the connection’s already; nothing was changed.`,
    repeat: `The connection has the same message already, as ${id}; this one was put away.`,
  })[outcome];

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function readId(text: string): string {
  const id = text.trim().toLowerCase();
  if (UUID.test(id)) return id;
  throw new InvalidArgumentError('Expected an id, as 0190a1b2-...');
}

function readLimit(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= LIMIT_MAX) return limit;
  throw new InvalidArgumentError(`Expected 1 to ${LIMIT_MAX}.`);
}
