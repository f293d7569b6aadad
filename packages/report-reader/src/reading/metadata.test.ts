import { describe, expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { readReport } from './read.ts';

/** A wrong sex selects a wrong range, so only text about the patient counts. */
describe('the sex of the patient', () => {
  // prettier-ignore
  it.each([
    [['Patient: Ann Marsh', 'Age/Gender: 46 Y 3 M 11 D / F'],                                 'female'],
    [['Patient: Ann Marsh', 'Age/Sex: F / 46 Y 3 M 11 D'],                                    'female'],
    [['Patient: Tom Marsh', 'Age/Sex: 58 M'],                                                 'male'],
    [['Patient: Tom Marsh', 'Sex: M'],                                                        'male'],
    [['Patient: Mrs Ann Marsh', 'DOB: 04/03/1990'],                                           'female'],
    [['Patient: Marsh, Ann', 'DOB: 04/03/1990', 'Consultant: Mr T Gallagher'],                'other'],
    [['An Frau Dr. Gertraud Hölzl', 'Patient: Wolfgang Zehetgruber', 'Geb.: 30.10.1963'],     'other'],
    [['Patient: Herr Wolfgang Zehetgruber', 'Einsender: Frau Dr. Hölzl'],                     'male'],
  ])('of %j is %s', (head, gender) => {
    const table = ['Test             Result      Units     Reference Range', 'Glucose          92          mg/dL     70-99'];
    expect(readReport([pageOf([...head, ...table])]).metadata.gender).toBe(gender);
  });
});
