import { describe, expect, it } from 'vitest';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import { inTenant } from '../../app.ts';
import { lockNames, storeLockedName } from './name-store.ts';
import { rankNames } from './rank-names.ts';

const service = useTestService();

describe('the ranks of names', () => {
  /** Names without orders, which is enough to be sorted. */
  const write = (team: TestTeam, names: readonly string[]) =>
    inTenant(service.app, team.tenant, async (work) => {
      const held = await lockNames(work, names);
      return names.map((name) => storeLockedName(work, held, name));
    });
  const ranked = async ({ tenant }: TestTeam): Promise<string[]> => {
    const { rows } = await service.ownerPool.query<{ id: string }>(
      `select replace(id::text, '-', '') as id from order_name where team_id = $1 and rank is not null order by rank`,
      [tenant.teamId],
    );
    return rows.map(({ id }) => id);
  };
  const three = (n: number) => String(n).padStart(3, '0');

  // prettier-ignore
  it.each<[string, (n: number) => string]>([
    ['in the order of the alphabet',      (n) => `Anna ${three(n)}`],
    ['against the order of the alphabet', (n) => `Anna ${three(999 - n)}`],
    ['always between the last two',       (n) => `Anna ${n % 2 === 0 ? `a${three(n)}` : `b${three(999 - n)}`}`],
  ])('are there for names that come one by one, %s', async (_order, nameOf) => {
    const team = await service.team();
    const names = new Map<string | null | undefined, string>();
    for (let n = 0; n < 70; n += 1) {
      const [id] = await write(team, [nameOf(n)]);
      names.set(id, nameOf(n));
      await rankNames(service.app, team.tenant);
    }
    const inOrder = (await ranked(team)).map((id) => names.get(id));
    expect(inOrder).toEqual([...names.values()].toSorted());
  });

  it('are assigned once by concurrent requests, and 503 if there are too many names', async () => {
    const team = await service.team();
    const names = Array.from({ length: 300 }, (_, n) => `Anna ${three((n * 7) % 300)}`);
    const ids = await write(team, names);
    await Promise.all([1, 2, 3].map(() => rankNames(service.app, team.tenant)));
    const sorted = names
      .map((name, n) => ({ name, id: ids[n] }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    expect(await ranked(team)).toEqual(sorted.map(({ id }) => id));
    await write(
      team,
      Array.from({ length: 5100 }, (_, n) => `Zoe ${n}`),
    );
    const refused = rankNames(service.app, team.tenant, 0);
    await expect(refused).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await ranked(team)).toHaveLength(5300);
    await rankNames(service.app, team.tenant, 0);
    expect(await ranked(team)).toHaveLength(5400);
  });
});
