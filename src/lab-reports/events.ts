import { defineEvent } from '../events/events.ts';
import { ParsingJobView } from './schema.ts';

export const parsingJobCreated = defineEvent({
  type: 'lab_report.parsing_job.created',
  when: 'A lab report was handed in to be read.',
  data: ParsingJobView,
});

export const parsingJobUpdated = defineEvent({
  type: 'lab_report.parsing_job.updated',
  when: 'The reading of a lab report came to another status. Carries what was read, once it is completed.',
  data: ParsingJobView,
});
