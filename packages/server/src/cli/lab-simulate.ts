import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { startSimulatedLaboratory } from '../compose.ts';
import { readShippedTests } from '../ordering/catalog/catalog.ts';
import { SECOND, systemClock } from '../platform/clock.ts';
import type { BootOptions } from '../service.ts';
import { stripControlCharacters } from './terminal/terminal.ts';

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

/**
 * Runs a laboratory on a port of this machine, which accepts orders by HL7 and sends results back. It needs no
 * database.
 */
export function addSimulateCommand(lab: Command, ground: () => BootOptions): void {
  lab
    .command('simulate')
    .description('Run a simulated laboratory that accepts orders by MLLP and sends results back')
    .requiredOption('--port <n>', 'port to listen on; 0 picks a free port', readPort)
    .option('--host <address>', 'address to listen on', readAddress, '127.0.0.1')
    .option('--lab <slug>', 'laboratory whose tests it offers', 'labcorp')
    .option(
      '--to <host:port>',
      'where to send results, such as the listener_port of a connection; default: none are sent',
      readTarget,
    )
    .option('--after <seconds>', 'delay before results are sent', readSeconds, 5)
    .addOption(
      new Option('--interpretation <of>', 'interpretation of its results')
        .choices(INTERPRETATIONS)
        .default('normal'),
    )
    .option('--missing', 'leave out one result, with a reason', false)
    .addOption(new Option('--answer <code>', 'acknowledgment code for orders').choices(ANSWERS).default('AA'))
    .option(
      '--order <file...>',
      'HL7 order files to load at start, for example for a sandbox, whose orders are not sent',
      [],
    )
    .action(async (flags: SimulateFlags) => simulate(ground(), flags));
}

type LaboratorySimulator = Awaited<ReturnType<typeof startSimulatedLaboratory>>;
type SimulatedOrder = NonNullable<ReturnType<LaboratorySimulator['orders']['get']>>;

const print = (line: string) => process.stdout.write(`${stripControlCharacters(line)}\n`);

async function simulate({ root }: BootOptions, flags: SimulateFlags): Promise<void> {
  const tests = readShippedTests(root, flags.lab);
  if (tests.size === 0) throw new Error(`The catalog has no tests of the laboratory ${flags.lab}.`);
  const leaving = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => leaving.abort());
  const { signal } = leaving;
  const laboratory = await startSimulatedLaboratory({
    host: flags.host,
    port: flags.port,
    now: () => systemClock.now(),
    findTest: (code) => tests.get(code),
    onOrder: (order) =>
      void attend(order).catch((error: unknown) => print(`${order.placer}: ${String(error)}`)),
  });
  const attend = (order: SimulatedOrder) => handleOrder(laboratory, order, { flags, signal });
  laboratory.setAcknowledgement(flags.answer === 'none' ? null : flags.answer);
  print(
    `A simulated ${flags.lab} listens on ${flags.host}:${laboratory.port}, by MLLP without TLS. Press Ctrl+C to stop.`,
  );
  try {
    for (const file of flags.order) laboratory.placeOrder(segments(await readFile(file)));
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
  } finally {
    leaving.abort();
    await laboratory.close();
  }
}

/** A file that was written by hand has the line ends of the machine; HL7 segments end with a carriage return. */
const segments = (bytes: Buffer): Buffer =>
  Buffer.from(bytes.toString('latin1').replaceAll(/\r?\n/g, '\r'), 'latin1');

interface HandleOrderOptions {
  readonly flags: SimulateFlags;
  readonly signal: AbortSignal;
}

async function handleOrder(
  laboratory: LaboratorySimulator,
  order: SimulatedOrder,
  { flags, signal }: HandleOrderOptions,
): Promise<void> {
  const { placer, tests, cancelled } = order;
  if (cancelled) {
    print(`${placer}: cancelled`);
    return;
  }
  const names = tests.map(({ name }) => name).join(', ');
  print(`${placer}: ordered ${names === '' ? 'no test of this laboratory' : names}`);
  if (!flags.to || tests.length === 0) return;
  const waited = await pause(flags.after * SECOND, true, { signal }).catch(() => false);
  if (!waited || laboratory.orders.get(placer)?.cancelled === true) return;
  const target = { ...flags.to, addresses: [flags.to.host], tls: undefined };
  const wish = { interpretation: flags.interpretation, hasMissingResults: flags.missing };
  const { code, text } = await laboratory.sendReport(placer, target, wish);
  print(`${placer}: results sent, acknowledged with ${code}${text === null ? '' : ` (${text})`}`);
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
  throw new InvalidArgumentError('Expected host:port, such as 127.0.0.1:2575.');
}

function readSeconds(text: string): number {
  const seconds = /^\d{1,6}(\.\d{1,3})?$/.test(text) ? Number(text) : NaN;
  if (seconds <= SECONDS_MAX) return seconds;
  throw new InvalidArgumentError(`Expected 0 to ${SECONDS_MAX} seconds.`);
}
const SECONDS_MAX = 86_400;
