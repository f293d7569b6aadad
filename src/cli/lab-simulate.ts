import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { openSimulatedLaboratory } from '../build.ts';
import { shippedTests } from '../lab-testing/catalog/catalog.ts';
import { SECOND, systemClock } from '../platform/clock.ts';
import type { Ground } from '../service.ts';
import { harmless } from './terminal.ts';

const ANSWERS = ['AA', 'AE', 'AR', 'none'] as const;
const INTERPRETATIONS = ['normal', 'abnormal', 'critical'] as const;

interface SimulateFlags {
  readonly port: number;
  readonly host: string;
  readonly lab: string;
  readonly to?: { host: string; port: number };
  readonly after: number;
  readonly interpretation: (typeof INTERPRETATIONS)[number];
  readonly missing: boolean;
  readonly answer: (typeof ANSWERS)[number];
  readonly order: readonly string[];
}

/** A laboratory on a port of this machine, which takes orders by HL7 and sends results back. It needs no database. */
export function withSimulate(lab: Command, ground: () => Ground): void {
  lab
    .command('simulate')
    .description('Run a simulated laboratory: it takes orders by MLLP, and sends their results back')
    .requiredOption('--port <n>', 'where it listens; 0 takes any', readPort)
    .option('--host <address>', 'the address that it listens on', readAddress, '127.0.0.1')
    .option('--lab <slug>', 'whose tests it does', 'labcorp')
    .option(
      '--to <host:port>',
      'the service’s LAB_MLLP_PORT, where results go; without it none are sent',
      readTarget,
    )
    .option('--after <seconds>', 'how long measuring takes', readSeconds, 5)
    .addOption(
      new Option('--interpretation <of>', 'what it measures').choices(INTERPRETATIONS).default('normal'),
    )
    .option('--missing', 'one result is missing, with the laboratory’s reason', false)
    .addOption(new Option('--answer <code>', 'how it acknowledges orders').choices(ANSWERS).default('AA'))
    .option(
      '--order <file...>',
      'an order in HL7 that it has from the start, as for a sandbox, whose orders stay',
      [],
    )
    .action(async (flags: SimulateFlags) => simulate(ground(), flags));
}

type Laboratory = Awaited<ReturnType<typeof openSimulatedLaboratory>>;
type Ordered = NonNullable<ReturnType<Laboratory['orders']['get']>>;

const say = (line: string) => process.stdout.write(`${harmless(line)}\n`);

async function simulate({ root }: Ground, flags: SimulateFlags): Promise<void> {
  const tests = shippedTests(root, flags.lab);
  if (tests.size === 0) throw new Error(`The catalogue has no tests of a laboratory ${flags.lab}.`);
  const leaving = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => leaving.abort());
  const { signal } = leaving;
  const laboratory = await openSimulatedLaboratory({
    host: flags.host,
    port: flags.port,
    now: () => systemClock.now(),
    testOf: (code) => tests.get(code),
    onOrder: (order) =>
      void attend(order).catch((error: unknown) => say(`${order.placer}: ${String(error)}`)),
  });
  const attend = (order: Ordered) => take(laboratory, order, { flags, signal });
  laboratory.answerWith(flags.answer === 'none' ? null : flags.answer);
  say(
    `A simulated ${flags.lab} listens on ${flags.host}:${laboratory.port}, by MLLP without TLS. End it with Ctrl+C.`,
  );
  try {
    for (const file of flags.order) laboratory.place(segments(await readFile(file)));
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
  } finally {
    leaving.abort();
    await laboratory.close();
  }
}

/** A file that was written by hand ends its lines as the machine does; HL7 ends segments with a carriage return. */
const segments = (bytes: Buffer): Buffer =>
  Buffer.from(bytes.toString('latin1').replaceAll(/\r?\n/g, '\r'), 'latin1');

interface Attending {
  readonly flags: SimulateFlags;
  readonly signal: AbortSignal;
}

async function take(laboratory: Laboratory, order: Ordered, { flags, signal }: Attending): Promise<void> {
  const { placer, tests, cancelled } = order;
  if (cancelled) {
    say(`${placer}: withdrawn`);
    return;
  }
  const names = tests.map(({ name }) => name).join(', ');
  say(`${placer}: ordered ${names === '' ? 'nothing that this laboratory does' : names}`);
  if (!flags.to || tests.length === 0) return;
  const waited = await pause(flags.after * SECOND, true, { signal }).catch(() => false);
  if (!waited || laboratory.orders.get(placer)?.cancelled === true) return;
  const target = { ...flags.to, addresses: [flags.to.host], tls: undefined };
  const wish = { interpretation: flags.interpretation, hasMissingResults: flags.missing };
  const { code, text } = await laboratory.report(placer, target, wish);
  say(`${placer}: reported, and answered ${code}${text === null ? '' : ` (${text})`}`);
}

function readPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= PORT_MAX) return Number(text);
  throw new InvalidArgumentError(`Expected 0 to ${PORT_MAX}.`);
}
const PORT_MAX = 65_535;

function readAddress(text: string): string {
  if (isIP(text) !== 0) return text;
  throw new InvalidArgumentError('Expected an IP address.');
}

function readTarget(text: string): NonNullable<SimulateFlags['to']> {
  const [, host, port] = /^\[?([^\]]+?)\]?:(\d{1,5})$/.exec(text) ?? [];
  if (host !== undefined && port !== undefined && Number(port) >= 1 && Number(port) <= PORT_MAX)
    return { host, port: Number(port) };
  throw new InvalidArgumentError('Expected host:port, as 127.0.0.1:2575.');
}

function readSeconds(text: string): number {
  const seconds = /^\d{1,6}(\.\d{1,3})?$/.test(text) ? Number(text) : NaN;
  if (seconds <= SECONDS_MAX) return seconds;
  throw new InvalidArgumentError(`Expected 0 to ${SECONDS_MAX} seconds.`);
}
const SECONDS_MAX = 86_400;
