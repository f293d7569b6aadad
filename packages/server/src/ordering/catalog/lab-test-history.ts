import { z } from 'zod';
import { isoTimestamp } from '../../platform/clock.ts';
import { requireFound } from '../../platform/errors.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import type { Work } from '../../platform/work.ts';
import { insertChanges, listChanges, listVersions } from './history-store.ts';
import type { LabTest } from './lab-test.ts';
import { LabTestStatus } from './schema.ts';
import { findLabTest } from './store.ts';

const CHANGES_MAX = 200;
const VERSIONS_MAX = 100;

const LAB_TEST_ACTIONS = ['created', 'renamed', 'retired', 'activated', 'approved'] as const;

export const LabTestHistoryView = z
  .object({
    data: z
      .array(
        z.object({
          at: Timestamp,
          action: z.enum(LAB_TEST_ACTIONS),
          name: z.string().describe('Its name after that.'),
          status: LabTestStatus.describe('Its status after that.'),
          request_id: z
            .string()
            .nullable()
            .describe(
              'The x-request-id of the request that did it; null for the operator and for earlier versions.',
            ),
        }),
      )
      .describe('Newest first, the newest 200. The oldest change of a lab test is its creation.'),
    versions: z
      .array(
        z.object({
          id: z.guid(),
          name: z.string(),
          status: LabTestStatus,
          version_of: z.guid().nullable(),
          created_at: Timestamp,
        }),
      )
      .describe(
        'The lab test, those of which it is a new version, and the new versions of these; oldest first.',
      ),
  })
  .meta({ id: 'LabTestHistory' });

/** What happened to a lab test, and its versions. */
export async function readLabTestHistory(
  work: Work,
  id: string,
): Promise<z.input<typeof LabTestHistoryView>> {
  const test = requireFound(await findLabTest(work, id), 'Lab test');
  const [changes, versions] = await Promise.all([
    listChanges(work, id, CHANGES_MAX),
    listVersions(work, id, VERSIONS_MAX),
  ]);
  return {
    data: (changes.length === 0 ? [toCreation(test)] : changes).map(
      ({ at, action, name, status, request_id }) => ({
        at: isoTimestamp(at),
        action,
        name,
        status,
        request_id,
      }),
    ),
    versions: versions.map(({ created_at: at, ...version }) => ({
      ...version,
      created_at: isoTimestamp(at),
    })),
  };
}

/** Records what a change made different. The first one records what the lab test was until then. */
export async function recordLabTestChange(
  work: Work,
  { before, after, isApproval = false }: { before: LabTest; after: LabTest; isApproval?: boolean },
): Promise<void> {
  const isRenamed = before.name !== after.name;
  const hasStatus = before.status !== after.status;
  if (!isRenamed && !hasStatus) return;
  const [known] = await listChanges(work, before.id, 1);
  const creation = { ...toCreation(before), isOfThisRequest: false };
  const statusAction = isApproval ? 'approved' : after.status === 'active' ? 'activated' : 'retired';
  await insertChanges(work, before.id, [
    ...(known ? [] : [creation]),
    ...(isRenamed ? [{ action: 'renamed' as const, name: after.name, status: before.status }] : []),
    ...(hasStatus ? [{ action: statusAction, name: after.name, status: after.status } as const] : []),
  ]);
}

const toCreation = ({ name, status, createdAt }: LabTest) => ({
  action: 'created' as const,
  name,
  status,
  at: createdAt,
  request_id: null,
});
