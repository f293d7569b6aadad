import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { useTestService, useTestTeam } from '../../../../test/service-hooks.ts';
import { address, patient } from '../../../../test/examples.ts';
import { importCatalog, CatalogImportError, seedCatalog } from '../catalog.ts';

/** The examples of the documentation. */
let csv: string;
let json: string;
const service = useTestService();
const team = useTestTeam(service);
beforeAll(async () => {
  csv = await readFile(new URL('../../docs/examples/own-catalog.csv', service.app.root), 'utf8');
  json = await readFile(new URL('../../docs/examples/own-catalog.json', service.app.root), 'utf8');
});

const bring = (
  content: string,
  { format = 'csv', dryRun = false }: { format?: 'csv' | 'json'; dryRun?: boolean } = {},
) => importCatalog(service.app, { format, content, dryRun });

/** Moves with every write to a laboratory or a marker. */
const version = async () =>
  (await service.ownerPool.query('select version from catalog_version')).rows[0].version;
const own = async (slug: string) =>
  (await team.get(`/v3/lab_tests/markers?lab_slug=${slug}&size=100`)).json.markers;

let harbors = 0;
/** The examples as a laboratory of this test alone brings them. */
function example() {
  const slug = `harbor_lab_${(harbors += 1)}`;
  const named = (text: string) => text.replaceAll('harbor_lab', slug);
  return { slug, csv: named(csv), json: named(json) };
}
async function imported() {
  const one = example();
  await bring(one.csv);
  return one;
}

const none = { added: 0, changed: 0, same: 0 };

describe('an import', () => {
  it('writes nothing in a dry run, and returns the plan', async () => {
    const harbor = example();
    const before = await version();
    const plan = await bring(harbor.csv, { dryRun: true });
    expect(plan.counts).toEqual({ labs: { ...none, added: 1 }, markers: { ...none, added: 2 } });
    expect([await version(), await own(harbor.slug)]).toEqual([before, []]);
  });

  it('adds a laboratory with markers, questions and results that can be ordered at once', async () => {
    const harbor = example();
    const plan = await bring(harbor.csv);
    expect(plan.counts).toEqual({ labs: { ...none, added: 1 }, markers: { ...none, added: 2 } });
    const [glucose, panel] = await own(harbor.slug);
    expect(glucose).toMatchObject({
      name: 'Glucose',
      slug: 'glucose',
      provider_id: 'GLU',
      type: 'biomarker',
      price: '6.50',
      aoe: { questions: [{ code: 'FASTING', type: 'choice', answers: [{ code: 'Y' }, { code: 'N' }] }] },
      expected_results: [{ provider_id: 'GLU-R', loinc: { code: '2345-7', unit: 'mg/dL' } }],
    });
    expect(glucose.id).toBeGreaterThanOrEqual(1_000_000_000);
    expect(glucose.expected_results[0].loinc.name).toBe('Glucose [Mass/volume] in Serum or Plasma');
    expect(panel.expected_results.map(({ required }: { required: boolean }) => required)).toEqual([
      true,
      true,
      false,
    ]);
    expect(panel.expected_results[0].id).toBe(glucose.expected_results[0].id);

    const test = await team.post('/v3/lab_tests', {
      name: 'Harbor check',
      method: 'walk_in_test',
      description: 'Own',
      provider_ids: ['DIAB'],
      lab_slug: harbor.slug,
    });
    expect(test).toMatchObject({
      status: 200,
      json: { status: 'active', lab: { slug: harbor.slug }, price: 18 },
    });
    const order = {
      user_id: await team.user(),
      lab_test_id: test.json.id,
      patient_details: patient,
      patient_address: address,
    };
    const placed = await team.post('/v3/order', order);
    expect(placed.status).toBe(200);
    const path = `/v3/order/${placed.json.order.id}`;
    expect((await team.post(`${path}/test`)).status).toBe(200);
    await service.settle();
    const { json: found } = await team.get(`${path}/result`);
    expect(found.results.map(({ loinc }: { loinc: string }) => loinc)).toEqual(
      expect.arrayContaining(['2345-7', '4548-4']),
    );
  });

  it('changes nothing the second time, in either format', async () => {
    const harbor = await imported();
    const before = await version();
    const same = { labs: { ...none, same: 1 }, markers: { ...none, same: 2 } };
    expect((await bring(harbor.csv)).counts).toEqual(same);
    expect((await bring(harbor.json, { format: 'json' })).counts).toEqual(same);
    expect(await version()).toBe(before);
  });

  it('updates changed rows and keeps ids', async () => {
    const harbor = await imported();
    const [before] = await own(harbor.slug);
    const plan = await bring(harbor.csv.replace('6.50', '7.25').replace(',Yes,', ',Yes indeed,'));
    expect(plan.counts).toEqual({ labs: { ...none, same: 1 }, markers: { added: 0, changed: 1, same: 1 } });
    const [after] = await own(harbor.slug);
    const [{ answers }] = before.aoe.questions;
    expect(after).toMatchObject({
      id: before.id,
      price: '7.25',
      aoe: { questions: [{ id: before.aoe.questions[0].id }] },
    });
    expect(after.aoe.questions[0].answers).toEqual([{ ...answers[0], value: 'Yes indeed' }, answers[1]]);
  });

  it('is visible to compendium searches at once', async () => {
    // A code that no other laboratory has.
    await bring(example().csv.replaceAll(/\bGLU\b(?!-)/g, 'GLUSEEN'));
    const codes = { provider_ids: ['GLUSEEN'], target_lab: 'quest' };
    const { json: converted } = await team.post('/v3/compendium/convert', codes);
    expect(converted.unresolved_provider_ids).toEqual([]);
    expect(converted.by_source_provider_id.GLUSEEN.candidates[0]).toMatchObject({
      name: 'Glucose',
      relation: 'equivalent',
    });
  });

  it('is kept when the shipped catalog is loaded again, including rows that it took over', async () => {
    const { slug } = await imported();
    const { json: shipped } = await team.get('/v3/lab_tests/markers?lab_slug=crl&size=1');
    const [taken] = shipped.markers;
    const lines = [
      'record,lab,marker,code,type,name,price',
      `marker,crl,${taken.provider_id},,biomarker,Our own price,99.00`,
      `result,crl,${taken.provider_id},OWN-R,text,Finding,`,
    ];
    expect(await bring(lines.join('\n'))).toMatchObject({
      takenOver: 1,
      counts: { markers: { changed: 1 } },
    });

    await loadShipped(async () => {});
    expect(await own(slug)).toHaveLength(2);
    for (const marker of await own(slug)) expect(marker.is_orderable).toBe(true);
    const again = (await own('crl')).find(({ id }: { id: number }) => id === taken.id);
    expect(again).toMatchObject({ name: 'Our own price', price: '99.00' });
  });

  it('names the CLIA number and the director of its laboratory, which its reports print', async () => {
    const content = {
      labs: [
        {
          lab: 'certified',
          name: 'Certified Laboratory',
          first_line_address: '1 Own Street',
          city: 'Own City',
          zipcode: '12345',
          collection_methods: ['testkit'],
          sample_types: ['saliva'],
          clia: '05D0642827',
          director: 'Marie Curie, MD',
        },
      ],
      markers: [
        {
          lab: 'certified',
          marker: 'C1',
          type: 'biomarker',
          name: 'One',
          results: [{ code: 'C1R', type: 'text', name: 'One' }],
        },
      ],
    };
    await bring(JSON.stringify(content), { format: 'json' });
    const { rows } = await service.ownerPool.query("select clia, director from lab where slug = 'certified'");
    expect(rows).toEqual([{ clia: '05D0642827', director: 'Marie Curie, MD' }]);
    const wrong = JSON.stringify(content).replace('05D0642827', 'CLIA');
    await expect(bring(wrong, { format: 'json' })).rejects.toThrow(
      'clia: expected a CLIA number such as 05D0642827',
    );
  });

  it('takes precedence over a shipped laboratory or code that is added later', async () => {
    const lab = (slug: string, name: string) =>
      `lab,${slug},,,,${name},,1 Own Street,Own City,12345,testkit,saliva`;
    const head =
      'record,lab,marker,code,type,name,price,first_line_address,city,zipcode,collection_methods,sample_types';
    const rows = ['marker,crl,LATER,,biomarker,Ours,,,,,,', 'result,crl,LATER,LATER-R,text,Finding,,,,,,'];
    await bring([head, lab('ihd', 'Our IHD'), lab('mtl', 'Our MTL'), ...rows].join('\n'));
    await loadShipped(async (data) => {
      const labs = JSON.parse(await readFile(join(data, 'labs.json'), 'utf8'));
      const ihd = { ...labs.at(-1), id: 99, slug: 'ihd', name: 'Shipped IHD' };
      await writeFile(join(data, 'labs.json'), JSON.stringify([...labs, ihd]));
      const crl = await readFile(join(data, 'markers-crl.jsonl'), 'utf8');
      const [first = ''] = crl.split('\n');
      const { lab_id: _lab, ...marker } = JSON.parse(first);
      const later = { ...marker, id: 124_999, provider_id: 'LATER', slug: 'later' };
      await writeFile(join(data, 'markers-crl.jsonl'), `${crl.trim()}\n${JSON.stringify(later)}\n`);
      const [result] = later.expected_results;
      const one = {
        ...later,
        id: 990_001,
        type: 'biomarker',
        expected_results: [{ ...result, id: 995_001 }],
      };
      await writeFile(join(data, 'markers-ihd.jsonl'), `${JSON.stringify(one)}\n`);
    });
    const { json: labs } = await team.get('/v3/lab_tests/labs');
    const named = (slug: string) => labs.filter((one: { slug: string }) => one.slug === slug);
    expect(named('ihd')).toEqual([expect.objectContaining({ name: 'Our IHD' })]);
    expect(named('mtl')).toEqual([expect.objectContaining({ name: 'Our MTL' })]);
    expect(await own('ihd')).toEqual([
      expect.objectContaining({ provider_id: 'LATER', lab_id: named('ihd')[0].id }),
    ]);
    const crl = named('crl')[0].id;
    expect((await team.get(`/v3/lab_tests/${crl}/markers/LATER`)).json).toMatchObject({
      name: 'Ours',
      is_orderable: true,
    });
    expect((await service.team()).tenant.teamId).toBeDefined();
  });
});

/** Loads the shipped catalogue once more, after `edit` has changed its files. */
async function loadShipped(edit: (data: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'aliquot-own-'));
  const data = join(folder, 'data/catalog');
  try {
    await cp(new URL('data/catalog/', service.app.root), data, { recursive: true });
    await writeFile(join(data, 'more.txt'), `another checksum ${folder}`);
    await edit(data);
    await seedCatalog({ ...service.app, root: pathToFileURL(`${folder}/`) });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Lines of a file that is right but for what a row of the table changes. */
const LINES = {
  head: 'record,lab,marker,question,code,type,name,loinc,required,reference_range,decimals,critical_low,critical_high,price,is_orderable,common_tat_days,worst_case_tat_days,default,zipcode,collection_methods',
  marker: 'marker,crl,M1,,,biomarker,Marker,,,,,,,1.00,true,1,2,,,',
  result: 'result,crl,M1,,R1,numeric,Result,2345-7,true,1-10,,,,,,,,,,',
  question: 'question,crl,M1,,Q1,choice,Question?,,true,,,,,,,,,Y,,',
  yes: 'answer,crl,M1,Q1,Y,,Yes,,,,,,,,,,,,,',
  no: 'answer,crl,M1,Q1,N,,No,,,,,,,,,,,,,',
};
type ImportFileLines = { [Name in keyof typeof LINES]: string };
const edit = (name: keyof ImportFileLines, from: string, to: string) => (lines: ImportFileLines) => {
  expect(lines[name]).toContain(from);
  return { ...lines, [name]: lines[name].replace(from, to) };
};
const fileOf = (change: (lines: ImportFileLines) => ImportFileLines) =>
  Object.values(change(LINES))
    .filter((line) => line !== '')
    .join('\n');

describe('a file with a fault', () => {
  it('is accepted without the fault', async () => {
    expect(
      (
        await bring(
          fileOf((lines) => lines),
          { dryRun: true },
        )
      ).counts.markers.added,
    ).toBe(1);
  });

  // prettier-ignore
  it.each<[string, (lines: ImportFileLines) => ImportFileLines, string[]]>([
    ['an unknown record',        edit('marker', 'marker,crl', 'markr,crl'),  ['line 2, record: expected one of lab, marker, result, question, answer, got "markr"']],
    ['a price in words',         edit('marker', '1.00', 'cheap'),   ['line 2, price: expected US dollars from 0 to 99999.99, such as 12.50, got "cheap"']],
    ['a third decimal',          edit('marker', '1.00', '1.005'),   ['line 2, price: expected US dollars from 0 to 99999.99, such as 12.50, got "1.005"']],
    ['a price below nothing',    edit('marker', '1.00', '-1'),      ['line 2, price: expected US dollars from 0 to 99999.99, such as 12.50, got "-1"']],
    ['an unknown laboratory',    edit('marker', ',crl,', ',nolab,'), ['line 2, lab: expected a laboratory of the catalog or this file, got "nolab"',
      ...[3, 4, 5, 6].map((line) => `line ${line}, marker: expected a marker of this file, got "M1" of crl`), 'line 2: expected at least one result row']],
    ['a slug in capitals',       edit('marker', ',crl,', ',CRL,'),  ['line 2, lab: expected lowercase letters, digits and single _, such as own_lab, got "CRL"']],
    ['an unknown type',          edit('marker', 'biomarker', 'pannel'), ['line 2, type: expected one of biomarker, panel, got "pannel"']],
    ['no name',                  edit('marker', 'Marker', ''),      ['line 2, name: expected text, got nothing']],
    ['a flag in words',          edit('marker', 'true', 'yes'),     ['line 2, is_orderable: expected true or false, got "yes"']],
    ['days out of bounds',       edit('marker', ',1,2,', ',1,400,'), ['line 2, worst_case_tat_days: expected a whole number from 0 to 365, got "400"']],
    ['half a day',               edit('marker', ',1,2,', ',0.5,2,'), ['line 2, common_tat_days: expected a whole number from 0 to 365, got "0.5"']],
    ['days the wrong way round', edit('marker', ',1,2,', ',3,2,'),  ['line 2, worst_case_tat_days: expected at least common_tat_days (3), got 2']],
    ['a column of another row',  edit('result', '1-10,,,,', '1-10,,,,5.00'), ['line 3, price: expected no value in this column for this record, got "5.00"']],
    ['a wrong check digit',      edit('result', '2345-7', '2345-8'), ['line 3, loinc: expected a LOINC code with a valid check digit, got "2345-8"']],
    ['no LOINC at all',          edit('result', '2345-7', 'glucose'), ['line 3, loinc: expected a LOINC code such as 2345-7, got "glucose"', 'line 3, loinc: expected a LOINC code with a valid check digit, got "glucose"']],
    ['an unreadable range',      edit('result', '1-10', 'low'),     ['line 3, reference_range: expected a range such as 70-99, <5.7, <=5.6, >40 or >=40, got "low"']],
    ['a range upside down',      edit('result', '1-10', '10-1'),    ['line 3, reference_range: expected a range such as 70-99, <5.7, <=5.6, >40 or >=40, got "10-1"']],
    ['bounds of words',          edit('result', 'numeric,Result,2345-7,true,1-10,', 'text,Result,2345-7,true,,2'), ['line 3, decimals: expected nothing for a text result']],
    ['critical bounds crossed',  edit('result', '1-10,,,', '1-10,,9,3'), ['line 3, critical_high: expected more than critical_low (9)']],
    ['no result',                (lines) => ({ ...lines, result: '' }), ['line 2: expected at least one result row']],
    ['two for a biomarker',      (lines) => ({ ...lines, result: `${lines.result}\n${lines.result.replace('R1', 'R2')}` }), ['line 2, type: expected one result for a biomarker, got 2']],
    ['the same twice',           (lines) => ({ ...lines, marker: `${lines.marker}\n${lines.marker}` }), ['line 3, marker: duplicate of line 2']],
    ['one code, two meanings',   (lines) => ({ ...lines, marker: `${lines.marker}\n${lines.marker.replace('M1', 'M2')}`, result: `${lines.result}\n${lines.result.replace('M1', 'M2').replace('1-10', '1-9')}` }), ['line 5, code: "R1" has another meaning in line 4']],
    ['nothing to choose',        (lines) => ({ ...lines, no: '' }), ['line 4, type: expected at least two answers for choice, got 1']],
    ['answers to a text',        edit('question', 'choice', 'text'), ['line 4, type: expected no answers for text']],
    ['a default that is none',   edit('question', ',Y,', ',X,'),    ['line 4, default: expected the code of an answer, got "X"']],
    ['an answer to nothing',     edit('yes', 'Q1', 'Q9'),           ['line 4, type: expected at least two answers for choice, got 1', 'line 4, default: expected the code of an answer, got "Y"', 'line 5, question: expected a question of the marker, got "Q9"']],
    ['a row of no marker',       edit('result', 'M1', 'M9'),        ['line 2: expected at least one result row', 'line 3, marker: expected a marker of this file, got "M9" of crl']],
    ['a missing cell',           edit('yes', ',Yes,', 'Yes,'),      ['line 5: expected 20 cells as in line 1, got 19']],
    ['an unknown column',        edit('head', 'price', 'cost'),     [expect.stringMatching(/^line 1, cost: expected one of record, /)]],
    ['a column twice',           edit('head', 'price', 'name'),     ['line 1, name: duplicate column']],
    ['no column record',         edit('head', 'record', 'lab_id'),  ['line 1, record: missing column', expect.stringMatching(/^line 1, lab_id: /)]],
    ['a quote without its end',  edit('yes', 'Yes', '"Yes'),        [expect.stringMatching(/^line \d+: invalid CSV: /)]],
    ['nothing at all',           () => ({ head: '', marker: '', result: '', question: '', yes: '', no: '' }), ['line 1: expected a header with the column names']],
  ])('is rejected with %s: nothing is written, and every fault is located', async (_what, change, faults) => {
    const before = await version();
    const refusal = await bring(fileOf(change)).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(CatalogImportError);
    const told = refusal instanceof CatalogImportError ? refusal.message.split('\n') : [];
    expect(told.toSorted()).toEqual(faults.toSorted());
    expect(await version()).toBe(before);
  });

  // prettier-ignore
  it.each([
    ['{',                                             /^the file: invalid JSON/],
    ['[]',                                            /^the file: /],
    ['{"markers":[{"lab":"crl","marker":"J1"}]}',     /^markers\[0\], type: expected one of biomarker, panel, got nothing\nmarkers\[0\], name: expected text, got nothing$/],
    ['{"markers":{}}',                                /^markers: /],
    ['{"analytes":[]}',                               /^the file: .*analytes/],
    ['{"markers":[{"lab":"crl","marker":"J1","type":"biomarker","name":"J","results":[{"code":"R","type":"numeric","name":7}]}]}', /^markers\[0\]\.results\[0\], name: expected text, got 7$/],
    ['{"labs":[{"lab":"own","name":"Own","first_line_address":"1","city":"C","zipcode":"1","collection_methods":["mail"],"sample_types":["serum"]}]}', /^labs\[0\], zipcode: expected five digits, got "1"\nlabs\[0\], collection_methods: expected one of testkit, /],
  ])('is rejected as JSON: %s', async (content, faults) => {
    const refusal = await bring(content, { format: 'json' }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(CatalogImportError);
    expect(refusal instanceof Error ? refusal.message : '').toMatch(faults);
  });
});
