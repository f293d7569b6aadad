import type { z } from 'zod';
import type { FileAnswer } from '../platform/http/file-answer.ts';
import { found } from '../platform/errors.ts';
import type { Work } from '../platform/work.ts';
import { listFiles } from './file-store.ts';
import { extractionOf } from './job.ts';
import type { PageView } from './review-schema.ts';
import * as store from './store.ts';
import type { Workshop } from './workshop.ts';

export interface PageOfJob {
  readonly job_id: string;
  /** From 1. */
  readonly page: number;
}

async function jobWithPage(work: Work, { job_id: id, page }: PageOfJob): Promise<store.JobRow> {
  const job = found(await store.findJob(work, id), 'Parsing job');
  return found(page <= job.pages ? job : undefined, 'Page');
}

/** Where on a page the lines stand that were read from it. */
export async function viewPage(work: Work, at: PageOfJob): Promise<z.input<typeof PageView>> {
  const job = await jobWithPage(work, at);
  const extraction = extractionOf(work, job);
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

/** A page as a picture; drawn when the work is over, by a process of its own. */
export async function drawPage(workshop: Workshop, work: Work, at: PageOfJob): Promise<FileAnswer> {
  const job = await jobWithPage(work, at);
  const files = await listFiles(work, job.id);
  const [first] = files;
  const isPdf = first?.type === 'application/pdf';
  const file = found(isPdf ? first : files[at.page - 1], 'Page');
  const { tenant } = work;
  return { name: `page-${at.page}.png`, draw: () => workshop.page(tenant, file.id, isPdf ? at.page : 1) };
}
