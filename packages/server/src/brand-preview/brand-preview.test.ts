import { expect, it } from 'vitest';
import { pngLogo } from '../../test/logos.ts';
import { pdfText } from '../../test/pdf.ts';
import { useTestService } from '../../test/service-hooks.ts';
import type { TestTeam } from '../../test/service.ts';

const service = useTestService();
const draft = { company_name: 'Ada <b> Health', brand_color: '#0a6e5a', support_email: 'help@ada.example' };

const preview = (team: TestTeam, kind: string, brand_information?: object) =>
  team.post('/v1/brand/preview', { kind, brand_information });

it('shows mails, the link page and documents with the fields as they are being edited', async () => {
  const team = await service.team();
  const headers = { 'x-service-api-key': team.key, 'content-type': 'image/png' };
  await service.http.server.inject({ method: 'POST', url: '/v1/brand/logo', headers, payload: pngLogo() });
  const mail = await preview(team, 'mail', draft);
  expect(mail.json.media_type).toBe('text/html');
  expect(mail.json.content).toContain('Ada &lt;b&gt; Health');
  expect(mail.json.content).toContain('background:#0a6e5a');
  expect(mail.json.content).toContain(`data:image/png;base64,${pngLogo().toString('base64')}`);
  expect((await preview(team, 'page', draft)).json.content).toContain('Ada &lt;b&gt; Health');
  const report = await preview(team, 'pdf', draft);
  expect(report.json.media_type).toBe('application/pdf');
  const bytes = Buffer.from(report.json.content, 'base64');
  expect(pdfText(bytes)).toContain('Ada <b> Health');
  expect(bytes.includes('/Subtype /Image')).toBe(true);
  // Nothing was stored.
  expect((await preview(team, 'mail')).json.content).not.toContain('Ada');
});

it('refuses unknown fields and kinds', async () => {
  const team = await service.team();
  expect((await preview(team, 'poster')).status).toBe(422);
  expect((await preview(team, 'mail', { company_name: 'x'.repeat(201) })).status).toBe(422);
});
