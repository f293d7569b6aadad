import { describe, expect, it } from 'vitest';
import { physician } from '../../test/examples.ts';
import { createOrder, simulateOrder } from '../../test/orders.ts';
import { QUEUED_JOBS, QUEUE_TASKS } from '../../test/queue-tables.ts';
import { useTestService } from '../../test/service-hooks.ts';
import { DAY, MINUTE } from '../platform/clock.ts';

const service = useTestService();

/** The samples of a metric by their labels; the numbers are those of the whole service. */
async function samplesOf(name: string): Promise<Map<string, number>> {
  // Past the time for which the numbers of the database are kept.
  service.clock.move(MINUTE);
  const text = await service.app.telemetry.metricsText();
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`));
  return new Map(
    lines.map((line) => {
      const [, labels = '', value] = /^[^{]*\{(.*)\} (\S+)$/.exec(line) ?? [];
      return [labels, Number(value)];
    }),
  );
}

const sandbox = 'aliquot_environment="sandbox"';

describe('the gauges of what waits', () => {
  it('count critical results past their deadline until they are acknowledged', async () => {
    const team = await service.team();
    const id = await createOrder(team, 'walk_in_test', { physician });
    await simulateOrder(team, id, 'completed', { interpretation: 'critical' });
    await service.settle();
    expect((await samplesOf('aliquot_critical_result_overdue')).get(sandbox)).toBe(0);
    service.clock.move(DAY);
    await service.settle();
    expect((await samplesOf('aliquot_critical_result_overdue')).get(sandbox)).toBe(1);
    const [record] = (await team.get(`/v3/order/${id}/critical_results`)).json.data;
    const notified = { recipient_name: 'Dr. Mary Putnam', channel: 'phone' };
    const said = await team.post(`/v3/critical_result/${record.id}/notification`, notified);
    expect(said.status, said.text).toBe(200);
    await team.post(`/v3/critical_result/${record.id}/read_back`, { read_back: true });
    expect((await samplesOf('aliquot_critical_result_overdue')).get(sandbox)).toBe(0);
  });

  it('show webhook messages that an endpoint does not take, and the age of the oldest', async () => {
    const team = await service.team();
    const endpoint = await team.endpoint();
    endpoint.respond = () => ({ status: 503 });
    await createOrder(team);
    const labels = `aliquot_stage="webhook",${sandbox}`;
    await service.settle();
    expect((await samplesOf('aliquot_event_undelivered')).get(labels)).toBeGreaterThanOrEqual(1);
    expect((await samplesOf('aliquot_event_oldest_age_seconds')).get(labels)).toBeGreaterThanOrEqual(60);
    // The clock of the samples made retries due. One in flight would count its next retry from the day that follows.
    await service.settle();
    endpoint.respond = () => ({ status: 200 });
    service.clock.move(DAY);
    await service.settle();
    expect((await samplesOf('aliquot_event_undelivered')).get(labels)).toBe(0);
    const attempts = await samplesOf('aliquot_webhook_attempt_duration_seconds_count');
    expect(attempts.get(`aliquot_result="retried",${sandbox}`)).toBeGreaterThanOrEqual(1);
    expect(attempts.get(`aliquot_result="delivered",${sandbox}`)).toBeGreaterThanOrEqual(1);
  });

  it('count jobs that were given up as dead letters, and name jobs that wait', async () => {
    await service.ownerPool.query(`
      select graphile_worker.add_job('test.unknown_job', '{}', run_at => now() - interval '90 seconds');
      select graphile_worker.add_job('test.dead_job', '{}', max_attempts => 1)`);
    await service.ownerPool.query(
      `update ${QUEUED_JOBS} set attempts = max_attempts where task_id =
        (select id from ${QUEUE_TASKS} where identifier = 'test.dead_job')`,
    );
    expect((await samplesOf('aliquot_job_waiting')).get('aliquot_job_name="test.unknown_job"')).toBe(1);
    const age = (await samplesOf('aliquot_job_oldest_age_seconds')).get(
      'aliquot_job_name="test.unknown_job"',
    );
    expect(age).toBeGreaterThanOrEqual(90);
    expect((await samplesOf('aliquot_dead_letter')).get('aliquot_kind="job"')).toBe(1);
    await service.ownerPool.query(`delete from ${QUEUED_JOBS}`);
  });

  it('have the jobs that ran by name and result, the size of the database and the use of the pools', async () => {
    const jobs = await samplesOf('aliquot_job_duration_seconds_count');
    expect(jobs.get('aliquot_job_name="critical-results.open-record",aliquot_result="done"')).toBe(1);
    const text = await service.app.telemetry.metricsText();
    expect(text).toMatch(/^aliquot_database_size_bytes(?:\{[^}]*\})? \d{6,}$/m);
    expect(text).toMatch(/^nodejs_eventloop_delay_p99_seconds(?:\{[^}]*\})? [\d.e-]+$/m);
    const most = await samplesOf('db_client_connection_max');
    expect(most.get('db_client_connection_pool_name="service"')).toBe(20);
  });

  it('need no right of the service to read rows', async () => {
    const client = await service.ownerPool.connect();
    try {
      await client.query('begin; set local role aliquot_tenant');
      await expect(client.query('select * from aliquot_queue_state()')).rejects.toThrow('permission denied');
      await client.query('rollback; begin; set local role aliquot_system');
      await expect(client.query('select private from critical_result')).rejects.toThrow('permission denied');
    } finally {
      await client.query('rollback');
      client.release();
    }
  });
});
