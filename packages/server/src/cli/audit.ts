import { InvalidArgumentError, type Command } from 'commander';
import { sealAccessLog, sealVerifier } from '../identity/access-log/access-log.ts';
import {
  verifyAuditLog,
  type AuditAnchor,
  type AuditChainReport,
} from '../identity/management/management.ts';
import { openAppBesideService, type BootOptions } from '../service.ts';
import { formatTable } from './terminal.ts';

/** Verifies the integrity of the audit log, directly on the database. */
export function auditCommand(program: Command, ground: (level?: string) => BootOptions): void {
  program
    .command('audit')
    .description('The audit log')
    .command('verify')
    .description(
      'Verify that no entry of the audit log, nor of the sealed access log, was removed, changed or added',
    )
    .option(
      '--expect <organization:lines:digest>',
      'result of an earlier run for an organization; may be repeated',
      parseAnchor,
      [],
    )
    .addHelpText('after', HELP)
    .action(async ({ expect }: { expect: AuditAnchor[] }) => verify(ground('warn'), expect));
}

const HELP = `
Prints the first invalid line of each organization, and exits with 1 if there is one. An owner of the database could
rewrite the log from a changed line on: store the result of a run (organization, lines, digest) elsewhere, and pass it
to the next run as --expect. Also works while a service uses the embedded database.
`;

const ANCHOR = /^([0-9a-f-]{36}):([1-9]\d{0,14}):([0-9a-f]{64})$/;

function parseAnchor(text: string, before: readonly AuditAnchor[]): readonly AuditAnchor[] {
  const [, orgId, position, digest] = ANCHOR.exec(text.toLowerCase()) ?? [];
  if (orgId === undefined || digest === undefined)
    throw new InvalidArgumentError('expected ORGANIZATION:LINES:DIGEST, as printed by an earlier run');
  return [...before, { orgId, position: Number(position), digest }];
}

async function verify(given: BootOptions, anchors: readonly AuditAnchor[]): Promise<void> {
  const opened = await openAppBesideService(given);
  try {
    // As at every start: what a killed process left is not sealed late by anybody's fault.
    if (!opened.isBeside) await sealAccessLog(opened.app);
    const reports: AuditChainReport[] = [];
    for await (const report of verifyAuditLog(opened.app, anchors, sealVerifier)) reports.push(report);
    const rows = reports.map(({ orgId, lines, digest, broken }) => [
      orgId,
      String(lines),
      digest,
      broken ? 'BROKEN' : 'whole',
    ]);
    process.stdout.write(formatTable(['ORGANIZATION', 'LINES', 'DIGEST', 'STATE'], rows));
    const unknown = anchors.filter(({ orgId }) => !reports.some((report) => report.orgId === orgId));
    const faults = [
      ...reports.flatMap(describeFault),
      ...unknown.map(({ orgId }) => `${orgId}: no such organization`),
    ];
    if (faults.length > 0)
      throw new Error(`The audit log was tampered with or is damaged:\n${faults.join('\n')}`);
  } finally {
    await opened.close();
  }
}

const describeFault = ({ orgId, broken }: AuditChainReport): string[] =>
  broken
    ? [`${orgId}: line ${broken.position}${broken.id === null ? '' : ` (${broken.id})`}: ${broken.reason}`]
    : [];
