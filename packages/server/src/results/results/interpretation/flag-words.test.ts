import { expect, it } from 'vitest';
import { interpretFlags } from './flags.ts';

// prettier-ignore
it.each([
  ['Critical Low',              'critical', 'below'],
  ['CRITICAL HIGH',             'critical', 'above'],
  ['Low Panic',                 'critical', 'below'],
  ['Above upper panic limits',  'critical', 'above'],
  ['Below lower panic limits',  'critical', 'below'],
  ['Very abnormal',             'critical', null],
  ['Below low normal',          'abnormal', 'below'],
  ['Above High Normal',         'abnormal', 'above'],
])('%s is %s', (flag, interpretation, side) => {
  expect(interpretFlags([flag])).toMatchObject({ interpretation, side });
});
