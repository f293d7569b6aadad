import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tellStory } from '../../../../test/laboratory-story.ts';
import { openTestService, type TestService, type TestTeam } from '../../../../test/service.ts';

/** Values, units and ranges in fields that laboratories write in their own ways. */

let service: TestService;
let team: TestTeam;
beforeAll(async () => {
  service = await openTestService();
  team = await service.team();
});
afterAll(() => service.close());

interface ReadField {
  readonly result: string;
  readonly unit: string | null;
  readonly min_range_value: number | null;
  readonly max_range_value: number | null;
  readonly is_above_max_range: boolean | null;
  readonly notes: string | null;
}

async function tell(file: string) {
  const { json, fhir } = await tellStory(service, team, { file, markers: ['LC33757'] });
  const results: ReadField[] = json.results;
  const quantities: { system?: string; code?: string }[] = fhir.entry.flatMap(
    ({ resource: { valueQuantity } }: { resource: { valueQuantity?: object } }) => valueQuantity ?? [],
  );
  expect(results.map(({ notes }) => notes)).toEqual(results.map(() => null));
  return {
    results: results.map((one) => [one.result, one.unit, one.min_range_value, one.max_range_value]),
    isAbove: results.map((one) => one.is_above_max_range),
    codes: quantities.map(({ code }) => code),
  };
}

describe('a report', () => {
  it('with unescaped carets has its whole units and bounds', async () => {
    const read = await tell('units-with-carets.hl7');
    expect(read.results).toEqual([
      ['6.1', '10^3/uL', 3.8, 10.8],
      ['4.5', 'x10^12/L', 4.2, 5.8],
      ['250', '10*3/uL', 150, 400],
      ['14.1', 'g/dL', 13, 17],
    ]);
    expect(read.codes).toEqual(['10*3/uL', '10*12/L', '10*3/uL', 'g/dL']);
  });

  it('with values and ranges in components has both ends of each', async () => {
    const read = await tell('values-in-components.hl7');
    expect(read.results).toEqual([
      ['<0.5', '10*3/uL', 4, 10],
      ['4.1-4.3', '10*6/uL', 4.2, 5.8],
      ['250', '10*3/uL', 150, 400],
      ['18.1', 'g/dL', null, 17],
    ]);
    expect(read.isAbove).toEqual([false, false, false, true]);
  });

  it('in the usual form is read as it stands', async () => {
    expect((await tell('ordinary-blood-count.hl7')).results).toEqual([
      ['6.1', '10*3/uL', 3.8, 10.8],
      ['4.5', '10*6/uL', 4.2, 5.8],
      ['>250', '10*3/uL', 150, 400],
      ['14.1', 'g/dL', 13, null],
    ]);
  });
});
