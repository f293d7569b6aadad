import { describe, expect, it } from 'vitest';
import { pageOf } from '../../../test/page-of.ts';
import { readReport } from '../read.ts';

const HEAD = 'Test             Result      Units     Reference Range';
const GLUCOSE = [HEAD, 'Glucose          92          mg/dL     70-99'];
const HB = [HEAD, 'Hemoglobin       12.8        g/dL      Male: 13.0-17.0  Female: 12.0-15.5'];

/** Pages of one file, each with its header and one result. */
const read = (...heads: readonly (readonly string[])[]) =>
  readReport(heads.map((head, at) => pageOf([...head, '', ...(at % 2 === 0 ? GLUCOSE : HB)], at + 1)));

type SeveralPeopleCase = readonly [who: string, heads: readonly (readonly string[])[]];

describe('a file with results of several patients', () => {
  // prettier-ignore
  const CASES: readonly SeveralPeopleCase[] = [
    ['a patient on each page', [['Patient: JANE DOE', 'DOB: 04 Mar 1971   Sex: Female'], ['Patient: MARK STONE', 'DOB: 12 Jan 1950   Sex: Male']]],
    ['two of one family', [['Name: DOE, JANE', 'DOB: 04/13/1971'], ['Name: DOE, JOHN', 'DOB: 01/22/1950']]],
    ['two of one family under a bare name', [['Name: DOE, JANE'], ['Name: DOE, MARK']]],
    ['two under a bare name', [['Name: Jane Doe'], ['Name: Mark Stone']]],
    ['two of one family without births', [['Patient: DOE, JANE'], ['Patient: DOE, MARK']]],
    ['the second without a name', [['Patient: JANE DOE   DOB: 04 Mar 1971'], ['DOB: 12 Jan 1950']]],
    ['two of one name', [['Patient: JANE DOE   DOB: 04 Mar 1971'], ['Patient: JANE DOE   DOB: 12 Jan 1950']]],
    ['both on one page', [['Patient: JANE DOE', 'DOB: 04 Mar 1971', '', ...GLUCOSE, '', 'Patient: MARK STONE', 'DOB: 12 Jan 1950']]],
    ['two births', [['Patient: Jane Marsh', 'DOB: 14 Mar 1971', 'Date of birth: 15 Mar 1971']]],
  ];
  it.each(CASES)('is %s: every result is marked, and no patient is named', (_who, heads) => {
    const { results, metadata } = read(...heads);
    expect(results.length).toBeGreaterThan(0);
    for (const { reviewReasons } of results) expect(reviewReasons).toContain('several_patients');
    expect(metadata).toMatchObject({
      patientFirstName: null,
      patientLastName: null,
      dob: null,
      gender: 'other',
    });
  });

  it('uses no range for one sex', () => {
    const { results } = read(
      ['Patient: JANE DOE   DOB: 04 Mar 1971   Sex: F'],
      ['Patient: MARK STONE   DOB: 12 Jan 1950'],
    );
    expect(results[1]).toMatchObject({ testName: 'Hemoglobin', min: null, max: null });
  });
});

describe('a file of one patient', () => {
  // prettier-ignore
  const CASES: readonly SeveralPeopleCase[] = [
    ['with the same head on each page', [['Patient: JANE DOE   DOB: 04 Mar 1971'], ['Patient: JANE DOE   DOB: 04 Mar 1971']]],
    ['whose name is shorter', [['Patient: Jane Marie Doe', 'DOB: 04 Mar 1971'], ['Patient: DOE, J.']]],
    ['whose name is cut off', [['Patient: MUSTERMANN-SCHMIDT ERIKA'], ['Patient: MUSTERMANN-SCHM ERIKA']]],
    ['with a letter misread', [['Patient: MARSH JANET'], ['Patient: MAR5H JANET']]],
    ['who has married', [['Patient: Jane Doe', 'DOB: 04 Mar 1971'], ['Patient: Jane Marsh', 'DOB: 04 Mar 1971']]],
    ['beside the physician', [['Patient: Jane Doe', 'Physician: Mark Stone'], ['Patient: Jane Doe', 'Ordered by: Ravi Nair, MD']]],
    ['under a bare name beside that of the physician', [['Name: Jane Doe', 'Physician', 'Name: Mark Stone'], ['Name: Jane Doe', 'Physician', 'Name: Mark Stone']]],
    ['with the name of somebody else alone on the next page', [['Patient: Jane Doe'], ['Name: Mark Stone']]],
    ['beside a parent', [['Guarantor: Ravi Nair     DOB: 14 Mar 1971', 'Patient: Meera Nair   DOB: 02 Feb 2020'], ['Patient: Meera Nair']]],
    ['named once', [['Patient: Jane Doe', 'DOB: 04 Mar 1971'], ['Page 2 of 2']]],
  ];
  it.each(CASES)('is one %s', (_how, heads) => {
    for (const { reviewReasons } of read(...heads).results) expect(reviewReasons).toEqual([]);
  });
});
