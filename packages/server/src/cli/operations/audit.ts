import { z } from 'zod';
import { sealAccessLog, sealVerifier } from '../../identity/access-log/access-log.ts';
import { verifyAuditLog, type AuditChainReport } from '../../identity/management/management.ts';
import { formatTable } from '../terminal/terminal.ts';
import { defineOperation } from './operation.ts';

const Anchors = z.object({
  anchors: z.array(z.object({ orgId: z.string(), position: z.int(), digest: z.string() })),
});

/** Verifies the integrity of the audit log, and prints the first invalid line of each organization. */
export const verifyAudit = defineOperation(Anchors, async ({ app, isInService, output }, { anchors }) => {
  // As at every start: what a killed process left is not sealed late by anybody's fault.
  if (!isInService) await sealAccessLog(app);
  const reports: AuditChainReport[] = [];
  for await (const report of verifyAuditLog(app, anchors, sealVerifier)) reports.push(report);
  const rows = reports.map(({ orgId, lines, digest, broken }) => [
    orgId,
    String(lines),
    digest,
    broken ? 'BROKEN' : 'whole',
  ]);
  output.out(formatTable(['ORGANIZATION', 'LINES', 'DIGEST', 'STATE'], rows));
  const unknown = anchors.filter(({ orgId }) => !reports.some((report) => report.orgId === orgId));
  const faults = [
    ...reports.flatMap(describeFault),
    ...unknown.map(({ orgId }) => `${orgId}: no such organization`),
  ];
  if (faults.length > 0)
    throw new Error(`The audit log was tampered with or is damaged:\n${faults.join('\n')}`);
});

const describeFault = ({ orgId, broken }: AuditChainReport): string[] =>
  broken
    ? [`${orgId}: line ${broken.position}${broken.id === null ? '' : ` (${broken.id})`}: ${broken.reason}`]
    : [];
