import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHouse, type House } from '../../../test/house.ts';
import { migrate } from './migrate.ts';

const MIGRATIONS = new URL('../../../migrations/', import.meta.url);

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

describe('a migration', () => {
  it('of a database that a newer version has migrated is refused in words of the operator, and changes nothing', async () => {
    const { owner, app } = house;
    const done = async () => (await owner.query('select name from kysely_migration order by name')).rows;
    expect(await migrate(owner, MIGRATIONS, app.log)).toEqual([]);
    await owner.query(
      `insert into kysely_migration values ('9998_of_tomorrow', 'then'), ('9999_of_later', 'then')`,
    );
    const before = await done();
    await expect(migrate(owner, MIGRATIONS, app.log)).rejects.toThrow(
      /^This database is that of a newer version of Aliquot: it has 9999_of_later, .*Start that version/,
    );
    expect(await done()).toEqual(before);
  });
});
