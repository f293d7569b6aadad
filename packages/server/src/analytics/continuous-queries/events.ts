import { z } from 'zod';
import { defineEvent } from '../../events/events.ts';
import { ResultTableChanges } from './schema.ts';

export const resultTableChanged = defineEvent({
  type: 'continuous_query.result_table.changed',
  when: 'The results of one or more continuous queries about a user changed.',
  data: z.array(ResultTableChanges),
});
