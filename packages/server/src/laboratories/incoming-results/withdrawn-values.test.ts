import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { orderMarkers, readStory, tellStory } from '../../../test/laboratory-story.ts';
import { receiveAll } from '../../../test/laboratory-message.ts';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';

/** A value that its laboratory took back is not shown again, in whatever order its messages come. */

let service: TestService;
let team: TestTeam;
beforeAll(async () => {
  service = await openTestService();
  team = await service.team();
});
afterAll(() => service.close());

const GLUCOSE = 'LC16919';
const tell = (file: string, markers: readonly string[] = [GLUCOSE]) =>
  tellStory(service, team, { file, markers });
type Story = Awaited<ReturnType<typeof tell>>;

const resultsOf = ({ json }: Story) =>
  json.results.map(({ name, result }: { name: string; result: string }) => `${name} ${result}`);
const missingOf = ({ json }: Story) =>
  json.missing_results.map(({ name, note }: { name: string; note: string | null }) => `${name}: ${note}`);

const TAKEN_BACK = 'Glucose: Withdrawn by the laboratory';

describe('a value that its laboratory takes back', () => {
  it.each([
    ['after a correction with the same report time', 'withdrawn-after-correction.hl7'],
    ['on the day of a correction, by messages without a time of day', 'withdrawn-on-one-day.hl7'],
    ['by a message whose clock has only the day', 'withdrawn-with-a-less-precise-clock.hl7'],
    ['as an Observation entered in error', 'observation-entered-in-error.json'],
  ])('is gone %s', async (_how, file) => {
    const story = await tell(file);
    expect(resultsOf(story)).toEqual([]);
    expect(missingOf(story)).toEqual([TAKEN_BACK]);
    expect(story.versions).toEqual([1, 2, 3]);
    expect(story.json.metadata.status).toBe('corrected');
    expect(story.pdf).not.toMatch(/\b199\b/);
    expect(JSON.stringify(story.fhir)).not.toMatch(/\b1?99\b/);
  });

  it.each([
    ['as posted for the wrong patient', 'posted-for-the-wrong-patient.hl7'],
    ['by canceling its whole test, with the value', 'whole-panel-canceled-with-its-values.hl7'],
    ['as a DiagnosticReport entered in error, without its observations', 'report-entered-in-error.json'],
    ['as a cancelled Observation', 'observation-cancelled.json'],
  ])('is gone %s', async (_how, file) => {
    const story = await tell(file);
    expect(resultsOf(story)).toEqual([]);
    expect(missingOf(story)).toEqual([TAKEN_BACK]);
    expect(story.versions).toEqual([1, 2]);
    expect(story.json.metadata.status).toBe('corrected');
  });

  it('is not shown by earlier versions either', async () => {
    const { orderId: id } = await tell('withdrawn-after-correction.hl7');
    for (const version of [1, 2]) {
      const { json } = await team.get(`/v3/order/${id}/result?version=${version}`);
      expect([version, json.results, json.metadata.interpretation]).toEqual([version, [], 'unknown']);
      expect(json.missing_results).toMatchObject([{ name: 'Glucose', note: 'Withdrawn by the laboratory' }]);
      const fhir = await team.get(`/v3/order/${id}/result/fhir?version=${version}`);
      expect(fhir.text).not.toMatch(/\b1?99\b/);
    }
  });

  it('is not shown when it arrives after the message that takes it back', async () => {
    const story = await tell('withdrawn-before-it-arrives.hl7');
    expect(resultsOf(story)).toEqual([]);
    expect(missingOf(story)).toEqual([TAKEN_BACK]);
  });

  it('leaves the other values of its report', async () => {
    const story = await tell('one-of-two-deleted.hl7', [GLUCOSE, 'LC64433']);
    expect(resultsOf(story)).toEqual(['Sodium 140']);
    expect(missingOf(story)).toEqual([TAKEN_BACK]);
  });

  it('goes with all values of its panel when the panel is canceled without listing them', async () => {
    const story = await tell('whole-panel-canceled.hl7', ['LC41676']);
    expect(resultsOf(story)).toEqual([]);
    expect(missingOf(story)).toContain(
      'White Blood Cell Count: Withdrawn by the laboratory\nSpecimen mislabeled',
    );
    expect(story.json.metadata.status).toBe('corrected');
  });

  it('notifies of the version without it', async () => {
    const endpoint = await team.endpoint();
    const story = await tell('withdrawn-after-correction.hl7');
    await service.settle();
    const updates = endpoint.received
      .map(({ body }) => body)
      .filter(
        ({ event_type: type, data }) => type === 'labtest.order.updated' && data['id'] === story.orderId,
      );
    expect(updates.at(-1)?.data).toMatchObject({
      last_event: { status: 'completed.walk_in_test.corrected' },
    });
  });

  it('is gone also when all its messages come at once', async () => {
    const order = await orderMarkers(service, team, [GLUCOSE]);
    const reports = await readStory('withdrawn-after-correction.hl7', order);
    await Promise.all(reports.toReversed().map((report) => receiveAll(service, team, [report])));
    const { json } = await team.get(`/v3/order/${order.id}/result`);
    expect(json.results).toEqual([]);
  });
});

describe('a value that its laboratory stands by', () => {
  it('is corrected also when the correction of the same time comes first', async () => {
    expect(resultsOf(await tell('corrected-before-it-arrives.hl7'))).toEqual(['Glucose 99']);
  });

  it('is shown when the test is repeated on the day on which it failed', async () => {
    const story = await tell('measured-again-after-a-failure.hl7', [GLUCOSE, 'LC64433']);
    expect(resultsOf(story)).toEqual(['Glucose 92', 'Sodium 140']);
    expect(missingOf(story)).toEqual([]);
  });

  it('has one version, however often it is sent', async () => {
    const story = await tell('final-and-repeated.hl7');
    expect(resultsOf(story)).toEqual(['Glucose 99']);
    expect(story.versions).toEqual([1, 1]);
  });
});
