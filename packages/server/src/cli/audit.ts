import { InvalidArgumentError, type Command } from 'commander';
import type { BootOptions } from '../service.ts';
import { runOperation } from './run-operation.ts';

interface ExpectedAuditEnd {
  readonly orgId: string;
  readonly position: number;
  readonly digest: string;
}

/** Verifies the integrity of the audit log. */
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
    .action(async ({ expect }: { expect: ExpectedAuditEnd[] }) =>
      runOperation(ground('warn'), 'audit verify', { anchors: expect }),
    );
}

const HELP = `
Prints the first invalid line of each organization, and exits with 1 if there is one. An owner of the database could
rewrite the log from a changed line on: store the result of a run (organization, lines, digest) elsewhere, and pass it
to the next run as --expect.
`;

const ANCHOR = /^([0-9a-f-]{36}):([1-9]\d{0,14}):([0-9a-f]{64})$/;

function parseAnchor(text: string, before: readonly ExpectedAuditEnd[]): readonly ExpectedAuditEnd[] {
  const [, orgId, position, digest] = ANCHOR.exec(text.toLowerCase()) ?? [];
  if (orgId === undefined || digest === undefined)
    throw new InvalidArgumentError('expected ORGANIZATION:LINES:DIGEST, as printed by an earlier run');
  return [...before, { orgId, position: Number(position), digest }];
}
