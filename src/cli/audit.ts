import { InvalidArgumentError, type Command } from 'commander';
import { checkSeal } from '../access-log/access-log.ts';
import { verifyAuditLog, type Anchor, type ChainReport } from '../management/management.ts';
import { openApp, type Ground } from '../service.ts';
import { table } from './terminal.ts';

/** Proves that the audit log is whole, by the database itself. */
export function auditCommand(program: Command, ground: (level?: string) => Ground): void {
  program
    .command('audit')
    .description('The audit log')
    .command('verify')
    .description(
      'Read the whole audit log and prove that nothing was cut out, changed or added, of sealed accesses neither',
    )
    .option(
      '--expect <organization:lines:digest>',
      'what an earlier run told of an organization; may be given several times',
      anchorOf,
      [],
    )
    .addHelpText('after', HELP)
    .action(async ({ expect }: { expect: Anchor[] }) => verify(ground('warn'), expect));
}

const HELP = `
It names the first wrong line of each organization and ends with 1 if there is one. Whoever owns the database could
write a log anew from a changed line on: keep what a run tells (organization, lines, digest) somewhere else, and give it
to the next run as --expect. The embedded database belongs to one process: stop the service before.
`;

const ANCHOR = /^([0-9a-f-]{36}):([1-9]\d{0,14}):([0-9a-f]{64})$/;

function anchorOf(text: string, before: readonly Anchor[]): readonly Anchor[] {
  const [, orgId, position, digest] = ANCHOR.exec(text.toLowerCase()) ?? [];
  if (orgId === undefined || digest === undefined)
    throw new InvalidArgumentError('expected ORGANIZATION:LINES:DIGEST, as a run without it tells them');
  return [...before, { orgId, position: Number(position), digest }];
}

async function verify(given: Ground, anchors: readonly Anchor[]): Promise<void> {
  const opened = await openApp(given);
  try {
    const reports: ChainReport[] = [];
    for await (const report of verifyAuditLog(opened.app, anchors, checkSeal)) reports.push(report);
    const rows = reports.map(({ orgId, lines, digest, broken }) => [
      orgId,
      String(lines),
      digest,
      broken ? 'BROKEN' : 'whole',
    ]);
    process.stdout.write(table(['ORGANIZATION', 'LINES', 'DIGEST', 'STATE'], rows));
    const unknown = anchors.filter(({ orgId }) => !reports.some((report) => report.orgId === orgId));
    const faults = [
      ...reports.flatMap(faultOf),
      ...unknown.map(({ orgId }) => `${orgId}: there is no such organization`),
    ];
    if (faults.length > 0) throw new Error(`The audit log is not what it was:\n${faults.join('\n')}`);
  } finally {
    await opened.close();
  }
}

const faultOf = ({ orgId, broken }: ChainReport): string[] =>
  broken
    ? [`${orgId}: line ${broken.position}${broken.id === null ? '' : ` (${broken.id})`}: ${broken.why}`]
    : [];
