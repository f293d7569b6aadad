import { setImmediate as nextTick } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canRefuseMemory, refuseMemory, refuseMemoryFromStart } from '../../test/memory-shortage.ts';
import { listReaderProcesses } from '../../test/reader-processes.ts';
import { reportPdf, uploadReport, waitUntilRead } from '../../test/report-upload.ts';
import { openTestService, type TestService, type TestTeam } from '../../test/service.ts';
import { HOUR } from '../platform/clock.ts';

/** A test starts several processes in sequence, at a lower priority than everything else. */
const PATIENCE_MS = 120_000;
/** Unique to this test service, so that its processes can be identified. */
const MEMORY_MB = 640;

let service: TestService;
let team: TestTeam;
let user: string;
let report: Buffer;
beforeAll(async () => {
  service = await openTestService({ LAB_REPORT_MEMORY_MB: String(MEMORY_MB) });
  team = await service.team();
  user = await team.user();
  report = await reportPdf();
});
afterAll(() => service.close());

const upload = () => uploadReport(service, team, { files: [{ bytes: report }], fields: { user_id: user } });

/** Neither the processes that wait for a report nor those that start get memory. Returns how to end it. */
async function beginShortage(): Promise<() => Promise<void>> {
  const end = await refuseMemoryFromStart();
  await Promise.all((await listReaderProcesses(MEMORY_MB)).map(refuseMemory));
  return end;
}

describe.runIf(canRefuseMemory)(
  'while the system has no memory for readers',
  { timeout: PATIENCE_MS },
  () => {
    it('an upload is to be sent again later, and is never refused for its file', async () => {
      const endShortage = await beginShortage();
      const answers = [await upload(), await upload(), await upload()];
      await endShortage();
      expect(answers.map(({ status, headers }) => [status, headers['retry-after']])).toEqual(
        answers.map(() => [503, '5']),
      );
      expect(answers[0]?.json.detail).toMatch(/short of memory/);
      expect((await upload()).status).toBe(200);
    });

    it('an acknowledged report waits, and is read when there is memory again', async () => {
      const { json } = await upload();
      await waitUntilRead(team, json.id);
      const endShortage = await beginShortage();
      // Acknowledged and unread again, now that nothing can read it.
      await service.ownerPool.query(
        `update lab_report_job set status = 'started', data = null, tries = 0, leased_until = null where id = $1`,
        [json.id],
      );
      service.app.notifier.notify('reports');
      const waitForTry = async (count: number) => {
        for (;;) {
          const { rows } = await service.ownerPool.query<{ status: string; waits: boolean }>(
            'select status, tries = $2 and lease_id is null as waits from lab_report_job where id = $1',
            [json.id, count],
          );
          if (rows[0]?.waits || rows[0]?.status !== 'started') return rows[0]?.status;
          await nextTick();
        }
      };
      const retry = () => {
        service.clock.move(HOUR);
        service.app.notifier.notify('reports');
      };
      for (let count = 1; count <= 5; count += 1) {
        expect(await waitForTry(count)).toBe('started');
        if (count === 5) await endShortage();
        retry();
      }
      // A process that started during the shortage may wait for the next try, which fails then.
      if ((await waitForTry(6)) === 'started') retry();
      expect((await waitUntilRead(team, json.id)).status).toBe('completed');
    });
  },
);
