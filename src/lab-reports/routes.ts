import { z } from 'zod';
import type { App } from '../app.ts';
import { found } from '../platform/errors.ts';
import { png } from '../platform/http/file-answer.ts';
import type { Http } from '../platform/http/http.ts';
import { dropFiles, keepFile } from './files.ts';
import { checkHandIn, handIn } from './hand-in.ts';
import { viewJob } from './job.ts';
import { drawPage, viewPage } from './pages.ts';
import { reviewJob, viewReview } from './review.ts';
import { PageView, ReviewParsingJob, ReviewView } from './review-schema.ts';
import { CreateParsingJob, ParsingJobView } from './schema.ts';
import { findJob } from './store.ts';
import { openWorkshop, type Workshop } from './workshop.ts';

const feature = 'lab_report_parsing';
const tag = 'Lab reports';
const ONE = '/lab_report/v1/parser/job/:job_id';
const UPLOAD_BYTES_MAX = 10 * 1024 * 1024;
const FILES_MAX = 16;

const JobId = z.object({ job_id: z.guid() });
const PageId = JobId.extend({ page: z.int().min(1).max(1000) });

export function labReportRoutes(http: Http, app: App): void {
  const workshop = openWorkshop(app);
  handInRoute(http, app, workshop);
  http.get(ONE, {
    feature,
    schema: {
      operationId: 'getLabReportParserJob',
      summary: 'The reading of a lab report, with what was read once it was',
      tag,
      params: JobId,
      response: { 200: ParsingJobView },
    },
    handler: async ({ work, params }) =>
      viewJob(work, found(await findJob(work, params.job_id), 'Parsing job')),
  });
  reviewRoutes(http);
  pageRoutes(http, workshop);
}

function handInRoute(http: Http, app: App, workshop: Workshop): void {
  http.upload('/lab_report/v1/parser/job', {
    feature,
    limits: { limitBytes: UPLOAD_BYTES_MAX, filesMax: FILES_MAX },
    keep: (tenant, bytes) => keepFile(app, tenant, bytes),
    drop: (tenant, keys) => dropFiles(app, tenant, keys),
    schema: {
      operationId: 'createLabReportParserJob',
      summary: 'Hand in a lab report to be read',
      description:
        'One PDF of up to 30 pages, or up to 8 JPEG or PNG images as pages of one report; 10 MB in all. 400 for an ' +
        'empty file, another type, a type that differs from what is declared, a PDF that is corrupt, encrypted or too ' +
        'long, images mixed with a PDF, an image that does not decode, and a review that the team has off.',
      tag,
      body: CreateParsingJob,
      response: { 200: ParsingJobView },
    },
    prepare: (input) => checkHandIn(app, workshop, input),
    handler: async ({ work, body, prepared }) => viewJob(work, await handIn(work, body, prepared)),
  });
}

function reviewRoutes(http: Http): void {
  http.post(`${ONE}/review`, {
    feature,
    schema: {
      operationId: 'reviewLabReportParserJob',
      summary: 'Correct and complete a reading that waits for a person',
      description: 'Ours. 409 for one that does not wait, as when somebody else was faster.',
      tag,
      params: JobId,
      body: ReviewParsingJob,
      response: { 200: ParsingJobView },
    },
    handler: async ({ work, params, body, principal }) =>
      viewJob(work, await reviewJob(work, { jobId: params.job_id, review: body, keyId: principal.keyId })),
  });
  http.get(`${ONE}/review`, {
    feature,
    schema: {
      operationId: 'getLabReportReview',
      summary: 'Who reviewed a reading, and what that changed',
      description: 'Ours.',
      tag,
      params: JobId,
      response: { 200: ReviewView },
    },
    handler: ({ work, params }) => viewReview(work, params.job_id),
  });
}

function pageRoutes(http: Http, workshop: Workshop): void {
  http.get(`${ONE}/pages/:page`, {
    feature,
    schema: {
      operationId: 'getLabReportPage',
      summary: 'Where the values stand on a page',
      description:
        'Ours. Boxes are measured from the top left corner, in the unit of width and height of the page.',
      tag,
      params: PageId,
      response: { 200: PageView },
    },
    handler: ({ work, params }) => viewPage(work, params),
  });
  http.get(`${ONE}/pages/:page.png`, {
    feature,
    schema: {
      operationId: 'getLabReportPageImage',
      summary: 'A page of a lab report as a picture',
      description: 'Ours. Upright, with the proportions of the page.',
      tag,
      params: PageId,
      response: { 200: png() },
    },
    handler: ({ work, params }) => drawPage(workshop, work, params),
  });
}
