import { defineEvent } from '../events/events.ts';
import { ParsingJobView } from './schema.ts';

export const parsingJobCreated = defineEvent({
  type: 'lab_report.parsing_job.created',
  when: 'A lab report was uploaded for parsing.',
  data: ParsingJobView,
});

export const parsingJobUpdated = defineEvent({
  type: 'lab_report.parsing_job.updated',
  when: 'The status of a parsing job changed. Contains the parsed report once the job is completed.',
  data: ParsingJobView,
});
