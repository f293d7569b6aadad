import { z } from 'zod';
import type { App } from '../app.ts';
import { requireFound } from '../platform/errors.ts';
import { png } from '../platform/http/file-response.ts';
import type { Http } from '../platform/http/http.ts';
import { dropFiles, keepFile } from './files.ts';
import { checkUpload, createParsingJob } from './create-parsing-job.ts';
import { viewJob } from './job.ts';
import { listInReview } from './list-in-review.ts';
import { renderPage, viewPage } from './pages.ts';
import { reviewJob, viewReview } from './review.ts';
import { LabReportPageView, ReviewParsingJobBody, LabReportReviewView } from './review-schema.ts';
import { CreateParsingJobBody, InReviewList, InReviewQuery, ParsingJobView } from './schema.ts';
import { findJob } from './store.ts';
import { loincRoutes } from './loinc-routes.ts';
import { userReportRoutes } from './user-reports.ts';
import { openReaderPool, type ReaderPool } from './reader-pool.ts';

const feature = 'lab_report_parsing';
const tag = 'Lab reports';
const JOB_PATH = '/lab_report/v1/parser/job/:job_id';
const UPLOAD_BYTES_MAX = 10 * 1024 * 1024;
const FILES_MAX = 16;

const JobId = z.object({ job_id: z.guid() });
const PageId = JobId.extend({ page: z.int().min(1).max(1000) });

export function labReportRoutes(http: Http, app: App): void {
  const workshop = openReaderPool(app);
  uploadRoute(http, app, workshop);
  http.get(JOB_PATH, {
    feature,
    schema: {
      operationId: 'getLabReportParserJob',
      summary: 'Get a lab report parsing job',
      tag,
      params: JobId,
      response: { 200: ParsingJobView },
    },
    handler: async ({ work, params }) =>
      viewJob(work, requireFound(await findJob(work, params.job_id), 'Parsing job')),
  });
  reviewRoutes(http);
  pageRoutes(http, workshop);
  userReportRoutes(http);
  loincRoutes(http, app);
}

function uploadRoute(http: Http, app: App, workshop: ReaderPool): void {
  http.upload('/lab_report/v1/parser/job', {
    feature,
    limits: { limitBytes: UPLOAD_BYTES_MAX, filesMax: FILES_MAX },
    keep: (tenant, bytes) => keepFile(app, tenant, bytes),
    drop: (tenant, keys) => dropFiles(app, tenant, keys),
    schema: {
      operationId: 'createLabReportParserJob',
      summary: 'Create a lab report parsing job',
      description:
        'Upload one PDF of up to 30 pages, or up to 8 JPEG or PNG images as the pages of one report; at most 10 MB ' +
        'in total. 400 for an empty file, an unsupported type, a type that differs from the declared one, a PDF that is ' +
        'corrupt, too long or needs a password to open, images mixed with a PDF, an image that does not decode, and ' +
        '`needs_human_review` when the team has review turned off.',
      tag,
      body: CreateParsingJobBody,
      response: { 200: ParsingJobView },
    },
    prepare: (input) => checkUpload(app, workshop, input),
    handler: async ({ work, body, prepared }) => viewJob(work, await createParsingJob(work, body, prepared)),
  });
}

function reviewRoutes(http: Http): void {
  http.get('/lab_report/v1/parser/job', {
    feature,
    schema: {
      operationId: 'listLabReportsInReview',
      summary: 'List lab report parsing jobs in review',
      description:
        'Extension. The jobs in `pending_review`, the longest waiting first, without what was read from them.',
      tag,
      query: InReviewQuery,
      response: { 200: InReviewList },
    },
    handler: ({ work, query }) => listInReview(work, query),
  });
  http.post(`${JOB_PATH}/review`, {
    feature,
    schema: {
      operationId: 'reviewLabReportParserJob',
      summary: 'Review a lab report parsing job',
      description:
        'Extension. Corrects and completes a job in `pending_review`; 409 for a job in any other status, for example ' +
        'when another reviewer was faster.',
      tag,
      params: JobId,
      body: ReviewParsingJobBody,
      response: { 200: ParsingJobView },
    },
    handler: async ({ work, params, body, principal }) =>
      viewJob(work, await reviewJob(work, { jobId: params.job_id, review: body, keyId: principal.keyId })),
  });
  http.get(`${JOB_PATH}/review`, {
    feature,
    schema: {
      operationId: 'getLabReportReview',
      summary: 'Get the review of a parsing job',
      description: 'Extension. Who reviewed the job, when, and what changed.',
      tag,
      params: JobId,
      response: { 200: LabReportReviewView },
    },
    handler: ({ work, params }) => viewReview(work, params.job_id),
  });
}

function pageRoutes(http: Http, workshop: ReaderPool): void {
  http.get(`${JOB_PATH}/pages/:page`, {
    feature,
    schema: {
      operationId: 'getLabReportPage',
      summary: 'Get the positions of results on a page',
      description:
        'Extension. Boxes are measured from the top left corner, in the unit of width and height of the page.',
      tag,
      params: PageId,
      response: { 200: LabReportPageView },
    },
    handler: ({ work, params }) => viewPage(work, params),
  });
  http.get(`${JOB_PATH}/pages/:page.png`, {
    feature,
    schema: {
      operationId: 'getLabReportPageImage',
      summary: 'Render a lab report page as PNG',
      description: 'Extension. The image is upright and has the proportions of the page.',
      tag,
      params: PageId,
      response: { 200: png() },
    },
    handler: ({ work, params }) => renderPage(workshop, work, params),
  });
}
