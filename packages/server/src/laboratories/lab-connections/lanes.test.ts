import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupIntoLanes } from './lanes.ts';

const message = (id: number, ...names: readonly string[]) => ({
  id,
  reports: [{ sampleIds: names, placerOrderId: null }],
});
const idsOf = (messages: ReturnType<typeof message>[]) =>
  groupIntoLanes(messages).map((lane) => lane.map(({ id }) => id));

describe('lanes of messages', () => {
  it('contain messages of one specimen in the order of arrival, whatever the case of its id', () => {
    expect(idsOf([message(1, 'a'), message(2, 'b'), message(3, ' A')])).toEqual([[1, 3], [2]]);
  });

  it('are merged by a message that has the ids of both', () => {
    expect(idsOf([message(1, 'a'), message(2, 'b'), message(3, 'b', 'a'), message(4, 'c')])).toEqual([
      [1, 2, 3],
      [4],
    ]);
  });

  it('share one lane for messages without ids', () => {
    expect(idsOf([message(1), message(2, 'a'), message(3)])).toEqual([[1, 3], [2]]);
  });

  it('never separate messages that share an id, lose a message, or change the order', () => {
    const names = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), { maxLength: 3 });
    fc.assert(
      fc.property(fc.array(names, { maxLength: 20 }), (all) => {
        const lanes = idsOf(all.map((each, id) => message(id, ...each)));
        expect(lanes.flat().toSorted((a, b) => a - b)).toEqual(all.map((_, id) => id));
        for (const lane of lanes) expect(lane).toEqual(lane.toSorted((a, b) => a - b));
        const laneWith = (id: number) => lanes.findIndex((lane) => lane.includes(id));
        const parted = all.flatMap((one, id) =>
          all.filter(
            (other, otherId) =>
              one.some((name) => other.includes(name)) && laneWith(id) !== laneWith(otherId),
          ),
        );
        expect(parted).toEqual([]);
      }),
    );
  });
});
