import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { order, registration } from '../examples.ts';
import { openReceiver, type Receiver } from '../receiver.ts';
import { findPostgresPrograms, openArchivingCluster, type ArchivingCluster } from './own-cluster.ts';
import { openMachine, type ServingProcess, type TestMachine } from './process.ts';

const programs = findPostgresPrograms();

/** A service on its own PostgreSQL, which is lost and restored to a moment before an accident. */
describe.skipIf(programs === undefined)(
  'a restore to a point in time, from a base backup and the archived log',
  { timeout: 180_000 },
  () => {
    let cluster: ArchivingCluster;
    let machine: TestMachine;
    let receiver: Receiver;
    beforeAll(async () => {
      [cluster, machine, receiver] = await Promise.all([
        openArchivingCluster(programs ?? ''),
        openMachine(),
        openReceiver(),
      ]);
    }, 120_000);
    afterAll(async () => {
      await machine?.close();
      await Promise.all([cluster?.close(), receiver?.close()]);
    });

    const start = () => machine.serve({ DATABASE_URL: cluster.url });
    const stop = async ({ child, ended }: ServingProcess) => {
      child.kill('SIGKILL');
      await ended;
    };

    it('has everything up to that moment, nothing after it, and goes on', async () => {
      let service = await start();
      const { org_id, team_id, team_api_key, management_key } = service.credentials;
      const call = async (path: string, body?: object, key?: string) => {
        const answer = await fetch(`${service.url}${path}`, {
          method: body ? 'POST' : 'GET',
          headers: {
            'content-type': 'application/json',
            'x-service-api-key': team_api_key,
            'x-management-key': management_key,
            ...(key === undefined ? {} : { 'x-idempotency-key': key }),
          },
          ...(body ? { body: JSON.stringify(body) } : {}),
        });
        return { status: answer.status, body: JSON.parse(await answer.text()) };
      };
      const tenant = `/v1/org/${org_id}/team/${team_id}/sandbox`;
      await call(`${tenant}/webhook`, { url: receiver.url });
      const [labTest] = (await call('/v3/lab_tests?collection_method=walk_in_test')).body;
      const user = (await call('/v2/user', { client_user_id: 'ada' })).body.user_id;
      const place = async (key: string) => {
        const wish = { ...order(user, labTest.id), physician: registration('').physician };
        const placed = await call('/v3/order', wish, key);
        return { status: placed.status, id: String(placed.body.order?.id) };
      };

      const before = await place('before the backup');
      await cluster.backUp();
      const after = await place('after the backup');
      await cluster.markMoment('before_the_accident');
      const lost = await place('after the moment');
      await stop(service);
      await cluster.loseAndRestore('before_the_accident');
      service = await start();

      const found = await Promise.all([before, after, lost].map(({ id }) => call(`/v3/order/${id}`)));
      expect(found.map(({ status }) => status)).toEqual([200, 200, 404]);
      expect(found[1]?.body.patient_details.first_name).toBe('Ada');
      // A client that repeats its request gets what it got before, or does what was lost.
      expect(await place('after the backup')).toEqual({ status: 200, id: after.id });
      const again = await place('after the moment');
      expect(again.status).toBe(200);
      expect(again.id).not.toBe(lost.id);
      const readLog = async (): Promise<string[]> => {
        const page = await call(`${tenant}/event?after=0&event_type=labtest.order.created&limit=100`);
        return page.body.data.map((event: { body: { data: { id: string } } }) => event.body.data.id);
      };
      await vi.waitFor(async () => expect(await readLog()).toEqual([before.id, after.id, again.id]), {
        timeout: 60_000,
      });
      await stop(service);
      const audit = await machine.run(['audit', 'verify'], { DATABASE_URL: cluster.url }).ended;
      expect(audit).toMatchObject({ code: 0 });
    });
  },
);
