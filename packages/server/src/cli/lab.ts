import { InvalidArgumentError, type Command } from 'commander';
import type { BootOptions } from '../service.ts';
import { addSimulateCommand } from './lab-simulate.ts';
import { runOperation } from './run-operation.ts';

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
    .action(async (flags: ListMessagesFlags) => runOperation(ground('warn'), 'lab messages', flags));

  lab
    .command('message')
    .description('Print a message: raw bytes to a pipe, one line per segment to a terminal')
    .argument('<id>', 'an id, as shown by `lab messages`', readId)
    .action(async (id: string) => runOperation(ground('warn'), 'lab message', { id }));

  lab
    .command('claim')
    .description('Assign an unassigned message to a connection, which then processes it')
    .argument('<id>', 'an id, as shown by `lab messages`', readId)
    .requiredOption('--connection <id>', 'the connection', readId)
    .option('--any-team', 'assign it although it came by a connection of another team', false)
    .action(async (id: string, { connection, anyTeam }: ClaimFlags) =>
      runOperation(ground('warn'), 'lab claim', { id, connectionId: connection, toAnyTeam: anyTeam }),
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
    .action(async () => runOperation(ground('warn'), 'lab listeners', {}));

  for (const { name, description } of LISTENER_CHANGES) {
    lab
      .command(name)
      .description(description)
      .argument('<connection>', 'an id, as shown by `lab listeners`', readId)
      .action(async (id: string) => runOperation(ground('warn'), `lab ${name}`, { id }));
  }
}

const LISTENER_CHANGES = [
  {
    name: 'share',
    description: 'Put a production connection on the shared port, LAB_MLLP_PORT, by its names',
  },
  {
    name: 'unshare',
    description: 'Take a connection from the shared port; its names can then be given to another one',
  },
  {
    name: 'free-port',
    description: 'Free the port of a deleted connection, which can then be given to any other',
  },
] as const;

const DEFAULT_LIMIT = 100;
const LIMIT_MAX = 1000;

interface ListMessagesFlags {
  readonly limit: number;
  readonly before?: string;
}

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
