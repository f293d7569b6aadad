import type { Command } from 'commander';
import {
  createBackupStorage,
  createEventDestinations,
  createFileStorage,
  createMailer,
  openKeyProviders,
} from '../compose.ts';
import { diagnose, type Finding, type FindingState } from '../diagnosis/diagnosis.ts';
import type { BootOptions } from '../service.ts';
import { colorsFor, stripControlCharacters, type TerminalColors } from './terminal/terminal.ts';

/** Says whether the service would work here, and what to do where it would not. */
export function doctorCommand(program: Command, ground: (level?: string) => BootOptions): void {
  program
    .command('doctor')
    .description('Check the configuration, the machine and what the service needs, and say what to do')
    .option('--json', 'print one JSON document a line')
    .addHelpText('after', HELP)
    .action(async ({ json = false }: { json?: boolean }) => examine(ground('silent'), json));
}

const HELP = `
Looks at the configuration, Node.js, the data folder, free disk space, the database (reachable, version, rights, schema,
connections, clock), certificates, the encryption key, mail, file storage, other servers that the settings name, and the
laboratories and brokers of all teams. Changes nothing, sends nothing, and needs no running service. Exits with 1 if there is a problem.
`;

const MARKS: Readonly<Record<FindingState, { text: string; color: keyof TerminalColors }>> = {
  ok: { text: 'ok', color: 'green' },
  warning: { text: 'warning', color: 'yellow' },
  problem: { text: 'PROBLEM', color: 'red' },
  'not used': { text: '-', color: 'dim' },
};

async function examine({ config, log, root }: BootOptions, json: boolean): Promise<void> {
  const colors = colorsFor(process.stdout);
  const counts = { warning: 0, problem: 0 };
  const context = {
    config,
    root,
    mailer: createMailer(config, log),
    fileStorage: createFileStorage(config),
    backupStorage: createBackupStorage(config),
    openKeyProviders: () => openKeyProviders(config),
    eventDestinations: createEventDestinations(),
  };
  // Reading the configuration came first: a mistake in it is an error before this.
  const configuration: Finding = { subject: 'configuration', state: 'ok', detail: 'no mistakes' };
  for await (const finding of withFirst(configuration, diagnose(context))) {
    if (finding.state === 'warning' || finding.state === 'problem') counts[finding.state] += 1;
    process.stdout.write(json ? `${JSON.stringify(finding)}\n` : describe(finding, colors));
  }
  if (!json) process.stdout.write(`\n${counts.problem} problems, ${counts.warning} warnings\n`);
  if (counts.problem > 0) process.exitCode = 1;
}

async function* withFirst<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield first;
  yield* rest;
}

const SUBJECT_WIDTH = 24;
const MARK_WIDTH = 9;

function describe({ subject, state, detail, advice }: Finding, colors: TerminalColors): string {
  const { text, color } = MARKS[state];
  const mark = colors[color](text.padEnd(MARK_WIDTH));
  const line = `${mark}${subject.padEnd(SUBJECT_WIDTH)} ${stripControlCharacters(detail)}\n`;
  const indent = ' '.repeat(MARK_WIDTH + SUBJECT_WIDTH + 1);
  return advice === undefined
    ? line
    : `${line}${indent}${colors.bold('->')} ${stripControlCharacters(advice)}\n`;
}
