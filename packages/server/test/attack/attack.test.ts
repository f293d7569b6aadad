import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CleanupTasks } from '../../../../tools/stage/cleanup.ts';
import { lateBound } from '../service-hooks.ts';
import { bombScene } from './bomb-scene.ts';
import { floodScene } from './flood-scene.ts';
import { hostileScene } from './hostile-scene.ts';
import type { AttackScene, AttackSize } from './scene.ts';
import { slowScene } from './slow-scene.ts';
import { openAttackStage, type AttackStage } from './stage.ts';
import { tenancyScene } from './tenancy-scene.ts';

const size: AttackSize = process.env['ATTACK_SIZE'] === 'full' ? 'full' : 'short';
const scenes: readonly AttackScene[] = [tenancyScene, slowScene, bombScene, floodScene, hostileScene];

const cleanups: CleanupTasks = [];
let opened: AttackStage | undefined;
const stage = lateBound(() => opened, 'The service under attack');
beforeAll(async () => {
  opened = await openAttackStage(cleanups);
});
afterAll(async () => {
  for (let cleanup = cleanups.pop(); cleanup; cleanup = cleanups.pop()) await cleanup();
});

/** Reading all bombs takes longer than other tests on a busy core. */
const TIMEOUT_MS: Record<AttackSize, number> = { short: 180_000, full: 3_600_000 };

// The last scene damages what the others need.
describe('an attack on the running service fails', { shuffle: false }, () => {
  it.each(scenes.map((scene) => [scene.name, scene.title, scene] as const))(
    '%s: %s',
    async (name, title, scene) => {
      const { figures, findings } = await scene.run(stage, size);
      if (size === 'full') {
        const lines = Object.entries(figures).map(([figure, value]) => `  ${figure}: ${value}`);
        process.stdout.write(`${name}: ${title}\n${lines.join('\n')}\n`);
      }
      expect(findings).toEqual([]);
      expect((await stage.send({ method: 'GET', path: '/healthz' })).status).toBe(200);
    },
    TIMEOUT_MS[size],
  );
});
