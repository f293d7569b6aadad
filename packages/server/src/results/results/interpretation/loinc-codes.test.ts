import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tellStory } from '../../../../test/laboratory-story.ts';
import { openTestService, type TestService, type TestTeam } from '../../../../test/service.ts';

/** A result has a LOINC code only if name, unit, specimen and scale agree with it. */

let service: TestService;
let team: TestTeam;
beforeAll(async () => {
  service = await openTestService();
  team = await service.team();
});
afterAll(() => service.close());

interface CodedResult {
  readonly name: string;
  readonly result: string;
  readonly loinc: string | null;
  readonly provider_id: string | null;
  readonly notes: string | null;
}

async function tell(file: string, marker = 'LC33757') {
  const { json, fhir } = await tellStory(service, team, { file, markers: [marker] });
  const results: CodedResult[] = json.results;
  const missing: string[] = json.missing_results.map(({ name }: { name: string }) => name);
  const codings: { system: string; code: string }[] = fhir.entry.flatMap(
    ({ resource }: { resource: { resourceType: string; code?: { coding: object[] } } }) =>
      resource.resourceType === 'Observation' ? (resource.code?.coding ?? []) : [],
  );
  const loincs = codings.filter(({ system }) => system === 'http://loinc.org').map(({ code }) => code);
  return { results, missing, loincs, coded: results.map(({ name, result, loinc }) => [name, result, loinc]) };
}

describe('a result that is known by its name', () => {
  it('is the percentage or the absolute count, by its unit', async () => {
    const { coded, missing, results } = await tell('percentage-and-absolute-count.hl7');
    expect(coded).toEqual([
      ['Neutrophils', '60', '770-8'],
      ['Neutrophils, Absolute', '4.2', '751-8'],
      ['Lymphocytes, Absolute', '1.9', '731-0'],
    ]);
    expect(missing).not.toContain('Neutrophils, Absolute');
    expect(missing).toContain('Lymphocytes');
    expect(results.map(({ notes }) => notes)).toEqual([null, null, null]);
  });

  it('is not that of another specimen', async () => {
    const { coded, missing, results } = await tell('glucose-in-urine-by-name.hl7', 'LC16919');
    expect(coded).toEqual([['Glucose', '15', null]]);
    expect(missing).toEqual(['Glucose']);
    expect(results[0]?.notes).toBe('Not taken for the ordered Glucose: the specimen is Urine.');
  });

  it.each(['glucose-in-moles-by-name.hl7', 'glucose-in-moles.hl7'])(
    'has the code of moles in a unit of moles (%s)',
    async (file) => {
      const { coded, missing, loincs } = await tell(file, 'LC16919');
      expect(coded).toEqual([['Glucose', '5.1', '14749-6']]);
      expect(missing).toEqual([]);
      expect(loincs).toEqual(['14749-6']);
    },
  );
});

describe('a code that its laboratory calls LOINC', () => {
  it('is a code of the laboratory if it has not the form or the check digit', async () => {
    const { results, loincs } = await tell('codes-that-are-no-loinc.hl7');
    expect(results.map(({ name, loinc, provider_id: own }) => [name, loinc, own])).toEqual([
      ['White cells', null, 'WBC'],
      ['Hemoglobin A', null, '718-8'],
      ['Platelet Count', '777-3', 'LC39168R'],
      ['Red Blood Cell Count', '789-8', 'LC73735R'],
    ]);
    expect(loincs).not.toContain('WBC');
    expect(loincs).not.toContain('718-8');
  });

  it('is so in FHIR, too', async () => {
    const { results, loincs } = await tell('codes-that-are-no-loinc.json');
    expect(results[0]).toMatchObject({ loinc: null, provider_id: 'WBC' });
    expect(loincs).not.toContain('WBC');
  });

  it('is kept with a doubt if its unit contradicts it', async () => {
    const { coded, results } = await tell('loinc-of-a-percentage-for-a-count.hl7');
    expect(coded).toEqual([['Neutrophils, Absolute', '4.2', '770-8']]);
    expect(results[0]?.notes).toBe('Doubtful LOINC code: 770-8 is not measured in 10*3/uL.');
  });
});

it('leaves the codes of an ordinary report', async () => {
  const { coded } = await tell('ordinary-blood-count.hl7');
  expect(coded).toEqual([
    ['White Blood Cell Count', '6.1', '6690-2'],
    ['Red Blood Cell Count', '4.5', '789-8'],
    ['Platelet Count', '>250', '777-3'],
    ['Hemoglobin', '14.1', '718-7'],
  ]);
});
