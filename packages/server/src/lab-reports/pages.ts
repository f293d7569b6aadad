import type { z } from 'zod';
import type { FileResponse } from '../platform/http/file-response.ts';
import { requireFound } from '../platform/errors.ts';
import type { Work } from '../platform/work.ts';
import { listFiles } from './file-store.ts';
import { openExtraction } from './job.ts';
import type { LabReportPageView } from './review-schema.ts';
import * as store from './store.ts';
import type { ReaderPool } from './reader-pool.ts';

interface JobPage {
  readonly job_id: string;
  /** From 1. */
  readonly page: number;
}

async function requirePage(work: Work, { job_id: id, page }: JobPage): Promise<store.ParsingJobRow> {
  const job = requireFound(await store.findJob(work, id), 'Parsing job');
  return requireFound(page <= job.pages ? job : undefined, 'Page');
}

/** The boxes of the lines that were extracted from a page. */
export async function viewPage(work: Work, at: JobPage): Promise<z.input<typeof LabReportPageView>> {
  const job = await requirePage(work, at);
  const extraction = openExtraction(work, job);
  const size = extraction?.pages[at.page - 1];
  const lines = (extraction?.lines ?? []).flatMap(({ place }, line) =>
    place?.page === at.page ? [{ line, boxes: place.boxes }] : [],
  );
  return {
    job_id: job.id,
    page: at.page,
    pages: job.pages,
    width: size?.width ?? null,
    height: size?.height ?? null,
    lines,
  };
}

/** A page as an image. A separate process renders it after the transaction. */
export async function renderPage(workshop: ReaderPool, work: Work, at: JobPage): Promise<FileResponse> {
  const job = await requirePage(work, at);
  const files = await listFiles(work, job.id);
  const [first] = files;
  const isPdf = first?.type === 'application/pdf';
  const file = requireFound(isPdf ? first : files[at.page - 1], 'Page');
  const { tenant } = work;
  return {
    name: `page-${at.page}.png`,
    render: () => workshop.renderPage(tenant, file.id, isPdf ? at.page : 1),
  };
}
