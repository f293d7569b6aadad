import { z } from 'zod';
import type { App } from '../app.ts';
import type { Http } from '../platform/http/http.ts';
import { createInsurance, latestInsurance } from './coverage.ts';
import { openDirectories } from './directories.ts';
import type { DiagnosisIndex } from './directory/diagnosis.ts';
import type { PayorDirectory } from './directory/payors.ts';
import { createPayor, matchPayors } from './payors.ts';
import {
  CodesVerdictView,
  CreateInsurance,
  CreatePayor,
  DeprecatedPayorMatches,
  DeprecatedPayorSearch,
  DiagnosisMatches,
  DiagnosisSearch,
  InsuranceView,
  PayorMatches,
  PayorSearch,
  PayorView,
  ValidateCodes,
} from './schema.ts';

const tag = 'Insurance';
/** The contract promises to read any text here; only the form of an id can name a user. */
const UserId = z.object({
  user_id: z.string().refine((id) => z.guid().safeParse(id).success, 'expected the id of a user'),
});

export function insuranceRoutes(http: Http, app: Pick<App, 'root'>): void {
  const { payors, diagnoses } = openDirectories(app.root);
  coverageRoutes(http, payors);
  payorRoutes(http, payors);
  diagnosisRoutes(http, diagnoses);
}

function coverageRoutes(http: Http, payors: PayorDirectory): void {
  http.post('/v2/user/:user_id/insurance', {
    schema: {
      operationId: 'createInsurance',
      summary: 'Keep the insurance of a user',
      tag,
      description: 'A new insurance replaces the primary or the secondary one that the user had.',
      params: UserId,
      body: CreateInsurance,
      response: { 200: InsuranceView },
    },
    handler: ({ work, params, body, warn }) =>
      createInsurance(work, payors, { userId: params.user_id, command: body, warn }),
  });

  http.get('/v2/user/:user_id/insurance/latest', {
    schema: {
      operationId: 'getLatestInsurance',
      summary: 'Read the insurance of a user',
      tag,
      params: UserId,
      query: z.object({ is_primary: z.boolean().default(true) }),
      response: { 200: InsuranceView },
    },
    handler: ({ work, params, query }) => latestInsurance(work, params.user_id, query.is_primary),
  });
}

function payorRoutes(http: Http, payors: PayorDirectory): void {
  http.get('/v3/insurance/search/payor', {
    schema: {
      operationId: 'searchPayors',
      summary: 'Search payors by name or by the id of a clearinghouse',
      tag,
      query: PayorSearch,
      response: { 200: PayorMatches },
    },
    handler: ({ work, query }) =>
      matchPayors(work, payors, {
        name: query.insurance_name,
        provider: query.provider,
        providerPayorId: query.provider_payor_id,
      }),
  });

  http.post('/v3/insurance/search/payor', {
    schema: {
      operationId: 'searchPayorsByBody',
      summary: 'Search payors; the older form, which answers `code`',
      tag,
      body: DeprecatedPayorSearch,
      response: { 200: DeprecatedPayorMatches },
    },
    handler: async ({ work, body }) => {
      const { insurance_name: name, provider, provider_id: providerPayorId } = body;
      const matches = await matchPayors(work, payors, { name, provider, providerPayorId });
      return matches.map(({ payor_code: code, ...rest }) => ({ code, ...rest }));
    },
  });

  http.post('/v3/payor', {
    schema: {
      operationId: 'createPayor',
      summary: "Add a payor of the team's own",
      tag,
      body: CreatePayor,
      response: { 200: PayorView },
    },
    handler: ({ work, body, warn }) => {
      if (body.provider_payor_id != null && body.provider == null) {
        warn('provider_payor_id without provider is kept, but cannot be searched for');
      }
      return createPayor(work, body);
    },
  });
}

function diagnosisRoutes(http: Http, diagnoses: DiagnosisIndex): void {
  http.get('/v3/insurance/search/diagnosis', {
    schema: {
      operationId: 'searchDiagnoses',
      summary: 'Search ICD-10-CM codes by code or description',
      tag,
      query: DiagnosisSearch,
      response: { 200: DiagnosisMatches },
    },
    handler: async ({ query }) =>
      diagnoses.search(query.diagnosis_query).map(({ code, description, isSecondary }) => ({
        diagnosis_code: code,
        description,
        is_secondary: isSecondary,
      })),
  });

  http.post('/v3/insurance/validate_icd_codes', {
    schema: {
      operationId: 'validateIcdCodes',
      summary: 'Check ICD-10-CM codes, alone and together',
      tag,
      body: ValidateCodes,
      response: { 200: CodesVerdictView },
    },
    handler: async ({ body }) => diagnoses.validate(body.codes),
  });
}
