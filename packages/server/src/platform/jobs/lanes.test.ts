import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import { inTenant, type Platform } from '../work.ts';
import { defineJob, startQueue, type Job } from './jobs.ts';
import { setTimer } from './timers.ts';

const CROWD = 20;
const PATIENCE = { timeout: 50_000 };

const service = useTestService();

/** The called system responds only when the test says so. */
interface LaneJobInput {
  begun: string[];
  done: string[];
  answer(): void;
}

function openAsked(): LaneJobInput & { job: Job<Platform, { who: string }> } {
  let answer = () => {};
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const asked: LaneJobInput = { begun: [], done: [], answer: () => answer() };
  const job = defineJob<Platform, { who: string }>({
    name: `test.${randomUUID()}`,
    input: z.object({ who: z.string() }),
    asksLaboratory: true,
    run: async (_app, _tenant, { who }) => {
      asked.begun.push(who);
      if (who.startsWith('hanging')) await answered;
      asked.done.push(who);
    },
  });
  return Object.assign(asked, { job });
}

const ask = (team: TestTeam, job: Job<Platform, { who: string }>, who: string, times = 1) =>
  inTenant(service.app, team.tenant, async (work) => {
    for (let n = 0; n < times; n += 1) {
      await setTimer(work, job, { key: randomUUID(), dueAt: work.now, input: { who }, lane: who });
    }
  });

describe('jobs that call a system that does not respond', () => {
  let asked: ReturnType<typeof openAsked>;
  let pool: pg.Pool;
  let queue: Awaited<ReturnType<typeof startQueue>>;
  beforeEach(async () => {
    asked = openAsked();
    pool = new pg.Pool(service.ownerPool.options);
    pool.on('error', () => {}).on('connect', (client) => client.on('error', () => {}));
    queue = await startQueue(service.app, pool, [asked.job]);
  });
  afterEach(async () => {
    asked.answer();
    await queue.stop();
    await pool.end();
  });

  it('of one team hold four workers, and jobs that call another system continue', async () => {
    const team = await service.team();
    await ask(team, asked.job, 'hanging', CROWD);
    await expect.poll(() => asked.begun.length, PATIENCE).toBe(4);
    await ask(team, asked.job, 'quick', CROWD);
    await expect.poll(() => asked.done.length, PATIENCE).toBe(CROWD);
    expect(asked.begun.filter((who) => who === 'hanging')).toHaveLength(4);
    asked.answer();
    await expect.poll(() => asked.done.length, PATIENCE).toBe(2 * CROWD);
    expect(asked.begun).toHaveLength(2 * CROWD);
  });

  it('of many teams hold eight, and leave workers to others', async () => {
    const teams = [await service.team(), await service.team(), await service.team()];
    for (const team of teams) await ask(team, asked.job, 'hanging', CROWD);
    await expect.poll(() => asked.begun.length, PATIENCE).toBe(8);
    await ask(await service.team(), asked.job, 'quick', CROWD);
    await expect.poll(() => asked.done.length, PATIENCE).toBe(CROWD);
    expect(asked.begun.filter((who) => who === 'hanging')).toHaveLength(8);
    asked.answer();
    await expect.poll(() => asked.done.length, PATIENCE).toBe(4 * CROWD);
  });

  it('of one team that calls several such systems hold eight, and leave workers to other teams', async () => {
    const team = await service.team();
    for (const who of ['hanging', 'hanging, too', 'hanging as well']) await ask(team, asked.job, who, CROWD);
    await expect.poll(() => asked.begun.length, PATIENCE).toBe(8);
    await ask(await service.team(), asked.job, 'quick', CROWD);
    await expect.poll(() => asked.done.length, PATIENCE).toBe(CROWD);
    expect(asked.begun).toHaveLength(8 + CROWD);
    asked.answer();
    await expect.poll(() => asked.done.length, PATIENCE).toBe(4 * CROWD);
  });

  it('in the sandbox hold none of those of production', async () => {
    const teams = [await service.team(), await service.team()];
    for (const team of teams) await ask(team, asked.job, 'hanging', CROWD);
    await expect.poll(() => asked.begun.length, PATIENCE).toBe(8);
    await ask(await service.team('production'), asked.job, 'hanging', CROWD);
    await expect.poll(() => asked.begun.length, PATIENCE).toBe(12);
  });
});
