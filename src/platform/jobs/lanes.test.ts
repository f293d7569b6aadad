import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openHouse, type House, type TeamInHand } from '../../../test/house.ts';
import { inTenant, type Platform } from '../work.ts';
import { defineJob, startQueue, type Job } from './jobs.ts';
import { setTimer } from './timers.ts';

const CROWD = 20;
const PATIENCE = { timeout: 50_000 };

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

/** Who is asked answers nobody before it is told to. */
interface Asked {
  begun: string[];
  done: string[];
  answer(): void;
}

function openAsked(): Asked & { job: Job<Platform, { who: string }> } {
  let answer = () => {};
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const asked: Asked = { begun: [], done: [], answer: () => answer() };
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

const ask = (team: TeamInHand, job: Job<Platform, { who: string }>, who: string, times = 1) =>
  inTenant(house.app, team.tenant, async (work) => {
    for (let n = 0; n < times; n += 1) {
      await setTimer(work, job, { key: randomUUID(), dueAt: work.now, input: { who }, lane: who });
    }
  });

describe('jobs that ask one who does not answer', () => {
  let asked: ReturnType<typeof openAsked>;
  let pool: pg.Pool;
  let queue: Awaited<ReturnType<typeof startQueue>>;
  beforeEach(async () => {
    asked = openAsked();
    pool = new pg.Pool(house.owner.options);
    pool.on('error', () => {}).on('connect', (client) => client.on('error', () => {}));
    queue = await startQueue(house.app, pool, [asked.job]);
  });
  afterEach(async () => {
    asked.answer();
    await queue.stop();
    await pool.end();
  });

  it('of one team hold four workers, and those who ask another one go on', async () => {
    const team = await house.team();
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
    const teams = [await house.team(), await house.team(), await house.team()];
    for (const team of teams) await ask(team, asked.job, 'hanging', CROWD);
    await expect.poll(() => asked.begun.length, PATIENCE).toBe(8);
    await ask(await house.team(), asked.job, 'quick', CROWD);
    await expect.poll(() => asked.done.length, PATIENCE).toBe(CROWD);
    expect(asked.begun.filter((who) => who === 'hanging')).toHaveLength(8);
    asked.answer();
    await expect.poll(() => asked.done.length, PATIENCE).toBe(4 * CROWD);
  });

  it('of one team that asks several who do not answer hold eight, and leave workers to other teams', async () => {
    const team = await house.team();
    for (const who of ['hanging', 'hanging, too', 'hanging as well']) await ask(team, asked.job, who, CROWD);
    await expect.poll(() => asked.begun.length, PATIENCE).toBe(8);
    await ask(await house.team(), asked.job, 'quick', CROWD);
    await expect.poll(() => asked.done.length, PATIENCE).toBe(CROWD);
    expect(asked.begun).toHaveLength(8 + CROWD);
    asked.answer();
    await expect.poll(() => asked.done.length, PATIENCE).toBe(4 * CROWD);
  });

  it('in the sandbox hold none of those of production', async () => {
    const teams = [await house.team(), await house.team()];
    for (const team of teams) await ask(team, asked.job, 'hanging', CROWD);
    await expect.poll(() => asked.begun.length, PATIENCE).toBe(8);
    await ask(await house.team('production'), asked.job, 'hanging', CROWD);
    await expect.poll(() => asked.begun.length, PATIENCE).toBe(12);
  });
});
