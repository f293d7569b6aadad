import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tellStory } from '../../../../test/laboratory-story.ts';
import { openTestService, type TestService, type TestTeam } from '../../../../test/service.ts';

/** Isolates and their susceptibilities, in JSON and FHIR. */

let service: TestService;
let team: TestTeam;
beforeAll(async () => {
  service = await openTestService();
  team = await service.team();
});
afterAll(() => service.close());

interface MicrobiologyResult {
  readonly interpretation: string;
  readonly name: string;
  readonly result: string;
  readonly microbiology?: Record<string, string | null>;
}
interface CodedElement {
  readonly coding?: readonly { readonly system: string; readonly code: string }[];
}
interface ObservationEntry {
  readonly resource: {
    readonly resourceType: string;
    readonly id: string;
    readonly code: { readonly text: string };
    readonly valueCodeableConcept?: CodedElement;
    readonly interpretation?: readonly CodedElement[];
    readonly derivedFrom?: readonly { readonly reference: string }[];
    readonly method?: { readonly text: string };
  };
}

async function tell(file: string) {
  const { json, fhir } = await tellStory(service, team, { file, markers: ['LC16919'] });
  const results: MicrobiologyResult[] = json.results;
  const entries: ObservationEntry[] = fhir.entry;
  const observations = entries
    .map(({ resource }) => resource)
    .filter((one) => one.resourceType === 'Observation');
  const byReference = new Map(observations.map((one) => [`urn:uuid:${one.id}`, one]));
  const drugs = results.flatMap(({ name, result, microbiology: of }) =>
    of?.['susceptibility'] ? [[name, result, of['organism'], of['snomed'], of['susceptibility']]] : [],
  );
  const fhirDrugs = observations
    .filter(({ derivedFrom }) => derivedFrom !== undefined)
    .map(({ code, interpretation, derivedFrom }) => [
      code.text,
      byReference.get(derivedFrom?.[0]?.reference ?? '')?.valueCodeableConcept?.coding?.[0]?.code,
      interpretation?.[0]?.coding?.[0]?.code,
    ]);
  return { results, drugs, fhirDrugs, observations };
}

const COLI = '112283007';
const KLEBSIELLA = '56415008';

describe('the susceptibility of an isolate', () => {
  it('has its organism, its category, its method and the comparator of its concentration', async () => {
    const { drugs, fhirDrugs, results, observations } = await tell('culture-with-parents.hl7');
    expect(drugs).toEqual([
      ['Ampicillin', '>=32', 'Escherichia coli', COLI, 'R'],
      ['Ampicillin', '16', 'Klebsiella pneumoniae', KLEBSIELLA, 'I'],
    ]);
    expect(fhirDrugs).toEqual([
      ['Ampicillin', COLI, 'R'],
      ['Ampicillin', KLEBSIELLA, 'I'],
    ]);
    const drugResults = results.filter(({ microbiology: of }) => of?.['susceptibility']);
    expect(drugResults.map(({ interpretation }) => interpretation)).toEqual(['abnormal', 'unknown']);
    expect(results.at(-1)?.microbiology?.['method']).toBe('Minimum inhibitory concentration');
    expect(observations.flatMap(({ method }) => method?.text ?? [])).toHaveLength(2);
    expect(results[0]?.microbiology).toEqual({
      isolate: '1',
      organism: 'Escherichia coli',
      snomed: COLI,
      susceptibility: null,
      method: null,
    });
  });

  it('is known by the number of its isolate', async () => {
    const { drugs, fhirDrugs } = await tell('culture-with-numbered-isolates.hl7');
    expect(drugs).toEqual([
      ['Ampicillin', '>=32', 'Escherichia coli', COLI, 'R'],
      ['Ampicillin', '<=2', 'Klebsiella pneumoniae', KLEBSIELLA, 'S'],
    ]);
    expect(fhirDrugs.map(([, code]) => code)).toEqual([COLI, KLEBSIELLA]);
  });

  it('is known also where it comes before the culture', async () => {
    const { drugs, fhirDrugs } = await tell('susceptibilities-before-the-culture.hl7');
    expect(drugs).toEqual([
      ['Ampicillin', '>=32', 'Escherichia coli', COLI, 'R'],
      ['Ciprofloxacin', 'Intermediate', 'Klebsiella pneumoniae', KLEBSIELLA, 'I'],
    ]);
    expect(fhirDrugs.map(([, code]) => code)).toEqual([COLI, KLEBSIELLA]);
  });

  it('has no organism if the report does not say which', async () => {
    const { drugs, fhirDrugs } = await tell('susceptibility-of-an-unknown-isolate.hl7');
    expect(drugs).toEqual([['Ampicillin', '>=32', null, null, 'R']]);
    expect(fhirDrugs).toEqual([]);
  });
});

it('adds nothing to results that are no microbiology', async () => {
  const { results, fhirDrugs } = await tell('final-and-repeated.hl7');
  expect(results.map(({ microbiology: of }) => of)).toEqual([undefined]);
  expect(fhirDrugs).toEqual([]);
});
