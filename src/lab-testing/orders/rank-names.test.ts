import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHouse, type House, type TeamInHand } from '../../../test/house.ts';
import { inTenant } from '../../app.ts';
import { holdNames, keepName } from './name-store.ts';
import { rankNames } from './rank-names.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

describe('the places of names', () => {
  /** Names without orders, which is enough to be sorted. */
  const write = (team: TeamInHand, names: readonly string[]) =>
    inTenant(house.app, team.tenant, async (work) => {
      const held = await holdNames(work, names);
      return names.map((name) => keepName(work, held, name));
    });
  const ranked = async ({ tenant }: TeamInHand): Promise<string[]> => {
    const { rows } = await house.owner.query<{ id: string }>(
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
    const team = await house.team();
    const names = new Map<string | null | undefined, string>();
    for (let n = 0; n < 70; n += 1) {
      const [id] = await write(team, [nameOf(n)]);
      names.set(id, nameOf(n));
      await rankNames(house.app, team.tenant);
    }
    const inOrder = (await ranked(team)).map((id) => names.get(id));
    expect(inOrder).toEqual([...names.values()].toSorted());
  });

  it('are given once, however many ask at once, and asked for again when there are too many', async () => {
    const team = await house.team();
    const names = Array.from({ length: 300 }, (_, n) => `Anna ${three((n * 7) % 300)}`);
    const ids = await write(team, names);
    await Promise.all([1, 2, 3].map(() => rankNames(house.app, team.tenant)));
    const sorted = names
      .map((name, n) => ({ name, id: ids[n] }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    expect(await ranked(team)).toEqual(sorted.map(({ id }) => id));
    await write(
      team,
      Array.from({ length: 5100 }, (_, n) => `Zoe ${n}`),
    );
    const refused = rankNames(house.app, team.tenant, 0);
    await expect(refused).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await ranked(team)).toHaveLength(5300);
    await rankNames(house.app, team.tenant, 0);
    expect(await ranked(team)).toHaveLength(5400);
  });
});
