import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { DAY, later } from '../../platform/clock.ts';
import type { DemoChance } from './chance.ts';
import { DemoCallError, type DemoClient } from './client.ts';
import type { DemoOptions } from './options.ts';
import type { DemoClinic } from './clinic.ts';
import { printReport } from './report-pdf.ts';

const REPORTS = 8;
const SMALL_REPORTS = 2;
const MANY_PEOPLE = 100;
const POLL_MS = 200;
const POLLS = 150;
const Job = z.object({ job_id: z.string().optional(), id: z.string().optional(), status: z.string() });

/** Uploads reports of another laboratory. All but the last wait for a person to review them. */
export async function uploadReports(
  { client, now, report }: DemoOptions,
  clinic: DemoClinic,
  chance: DemoChance,
): Promise<number> {
  const count = clinic.people.length >= MANY_PEOPLE ? REPORTS : SMALL_REPORTS;
  const jobs: string[] = [];
  for (const person of clinic.people.slice(0, count)) {
    const file = await printReport(chance, {
      person,
      collectedAt: later(now(), -(person.index + 1) * 30 * DAY),
    });
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(file)], { type: 'application/pdf' }), 'report.pdf');
    form.append('user_id', clinic.users.get(person.clientUserId) ?? '');
    form.append('needs_human_review', String(person.index < count - 1));
    const encoded = new Response(form);
    try {
      const job = await client.team({
        method: 'POST',
        path: '/lab_report/v1/parser/job',
        body: Buffer.from(await encoded.arrayBuffer()),
        headers: {
          'content-type': encoded.headers.get('content-type') ?? '',
          'x-idempotency-key': `demo:${clinic.seed}:report:${person.index}`,
        },
        answer: Job,
      });
      jobs.push(job.job_id ?? job.id ?? '');
    } catch (error) {
      if (!(error instanceof DemoCallError) || error.status !== 403) throw error;
      report(`reports were left out: ${error.message}`);
      return 0;
    }
  }
  for (const id of jobs) await waitForJob(client, id);
  return jobs.length;
}

async function waitForJob(client: DemoClient, id: string): Promise<void> {
  for (let poll = 0; poll < POLLS; poll += 1) {
    const { status } = await client.team({
      method: 'GET',
      path: `/lab_report/v1/parser/job/${id}`,
      answer: Job,
    });
    if (status !== 'upload_pending' && status !== 'started') return;
    await pause(POLL_MS);
  }
}
