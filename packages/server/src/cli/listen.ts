import { InvalidArgumentError, type Command } from 'commander';
import { z } from 'zod';
import type { Config } from '../platform/config.ts';
import type { BootOptions } from '../service.ts';
import { FILTER_TYPE, newSecret, readSecret, matchesFilter } from '../delivery/webhooks/webhooks.ts';
import { readLatestPosition, followEvents, type LoggedEvent } from './event-log.ts';
import { forwardEvent, type ForwardAttempt } from './forward.ts';
import { openRemote, addRemoteFlags, type Remote, type RemoteFlags } from './remote.ts';
import { stripControlCharacters, colorsFor, type TerminalColors } from './terminal/terminal.ts';

interface ListenFlags extends RemoteFlags {
  readonly forwardTo?: string;
  readonly events?: readonly string[];
  readonly printJson?: boolean;
  readonly since: 'now' | 'start' | number;
  readonly secret?: string;
}

export function listenCommand(program: Command, ground: () => BootOptions): void {
  addRemoteFlags(program.command('listen'))
    .description('Print the events of a team as they occur, and forward them, signed, to a local URL')
    .option('--forward-to <url>', 'post every event to this URL, as an endpoint would get it', readTarget)
    .option(
      '--events <types>',
      'only these types, comma-separated; exact, or a prefix that ends in .*',
      readTypes,
    )
    .option('--print-json', 'print one JSON document per line instead of a summary')
    .option('--since <place>', 'now, start, or the position of the last known event', readPosition, 'now')
    .option(
      '--secret <whsec_...>',
      'signing secret for forwarded events; default: generated for this run',
      readKey,
    )
    .action(async (flags: ListenFlags) => listen(ground().config, flags));
}

/** Events go to standard output and messages to standard error, so that a pipe gets events only. */
async function listen(config: Config, flags: ListenFlags): Promise<void> {
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, leave);
  // The reader of the pipe has closed it.
  process.stdout.once('error', leave);
  const { signal } = leaving;
  const remote = await openRemote(config, flags);
  const secret = flags.secret ?? newSecret();
  const note = (text: string) => process.stderr.write(`${text}\n`);
  let position = flags.since === 'start' ? 0 : flags.since;
  try {
    if (position === 'now') position = await readLatestPosition(remote, signal);
    for (const line of greeting(remote, { flags, secret, position })) note(line);
    for (const line of await warnUnknownTypes(flags.events ?? [])) note(line);
    for await (const event of followEvents(remote, { after: position, signal, note })) {
      if (matchesFilter(flags.events ?? null, event.event_type))
        await showEvent(event, { flags, secret, signal });
      position = event.position;
      if (signal.aborted) break;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  note(`Stopped. To continue from here: --since ${position}`);
}

function greeting(
  remote: Remote,
  { flags, secret, position }: { flags: ListenFlags; secret: string; position: number },
): string[] {
  const where = `${remote.environment ?? 'sandbox'} of team ${remote.teamId}`;
  const what = flags.events?.join(', ') ?? 'all events';
  const forward = flags.forwardTo && [`Forwarding to ${flags.forwardTo}, signed with ${secret}`];
  return [`Listening on ${remote.url}: ${what} in ${where} after ${position}.`, ...(forward || []), ''];
}

/** The remote service may be newer and have event types that this version lacks. */
async function warnUnknownTypes(wanted: readonly string[]): Promise<string[]> {
  const { eventTypes } = await import('../event-catalog.ts');
  return wanted
    .filter((name) => !eventTypes.some((type) => matchesFilter([name], type)))
    .map((name) => `Warning: no event type of this version matches ${name}.`);
}

interface ShowEventOptions {
  readonly flags: ListenFlags;
  readonly secret: string;
  readonly signal: AbortSignal;
}

async function showEvent(event: LoggedEvent, { flags, secret, signal }: ShowEventOptions): Promise<void> {
  const line = flags.printJson ? JSON.stringify(event) : lineOf(event, colorsFor(process.stdout));
  process.stdout.write(`${line}\n`);
  if (flags.forwardTo === undefined) return;
  const told = (attempt: ForwardAttempt) =>
    process.stderr.write(`${attemptLine(attempt, colorsFor(process.stderr))}\n`);
  await forwardEvent(event, { url: flags.forwardTo, secret, signal, onAttempt: told });
}

/** The parts of a body for the summary; each may be absent. */
const Summary = z.object({
  user_id: z.string().nullish().catch(null),
  client_user_id: z.string().nullish().catch(null),
  data: z
    .object({ last_event: z.object({ status: z.string() }).nullish().catch(null) })
    .nullish()
    .catch(null),
});

const TIME = { from: 11, to: 19 };
const TYPE_WIDTH = 28;

/** Time (UTC), type, user, and the order status if there is one. */
function lineOf(event: LoggedEvent, paint: TerminalColors): string {
  const { user_id: userId, client_user_id: clientUserId, data } = Summary.parse(event.body);
  const status = data?.last_event?.status;
  return [
    paint.dim(event.created_at.slice(TIME.from, TIME.to)),
    paint.bold(stripControlCharacters(event.event_type).padEnd(TYPE_WIDTH)),
    stripControlCharacters(clientUserId ?? userId ?? '-'),
    ...(status === undefined ? [] : [paint.green(stripControlCharacters(status))]),
  ].join('  ');
}

function attemptLine({ answer, durationMs, retryInMs }: ForwardAttempt, paint: TerminalColors): string {
  const taken = typeof answer === 'number' && answer >= 200 && answer < 300;
  const again = retryInMs === undefined ? '' : `; retrying in ${retryInMs / 1000} s`;
  const line = `          -> ${answer} in ${durationMs} ms${again}`;
  return taken ? paint.dim(line) : paint.red(line);
}

function readTarget(text: string): string {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return text;
  throw new InvalidArgumentError('Expected http://host:port/path.');
}

function readTypes(text: string): string[] {
  const types = text.split(',').map((type) => type.trim());
  const wrong = types.filter((type) => !FILTER_TYPE.test(type));
  if (wrong.length > 0)
    throw new InvalidArgumentError('Expected types like labtest.order.created or labtest.*.');
  return types;
}

function readPosition(text: string): 'now' | 'start' | number {
  if (text === 'now' || text === 'start') return text;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected now, start or a position.');
}

function readKey(text: string): string {
  const secret = readSecret(text);
  if (secret === undefined) throw new InvalidArgumentError('Expected whsec_ and 24 to 75 bytes in base64.');
  return secret;
}
