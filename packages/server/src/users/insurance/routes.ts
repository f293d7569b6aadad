import { z } from 'zod';
import type { App } from '../../app.ts';
import type { Http } from '../../platform/http/http.ts';
import { createInsurance, getLatestInsurance } from './coverage.ts';
import { openDirectories } from './directories.ts';
import type { DiagnosisIndex } from './directory/diagnosis.ts';
import type { PayorDirectory } from './directory/payors.ts';
import { createPayor, matchPayors } from './payors.ts';
import {
  IcdCodesValidationView,
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
/** The contract allows any text here; only a UUID can identify a user. */
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
      summary: 'Set the insurance of a user',
      tag,
      description: 'Replaces the current primary or secondary insurance of the user.',
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
    handler: ({ work, params, query }) => getLatestInsurance(work, params.user_id, query.is_primary),
  });
}

function payorRoutes(http: Http, payors: PayorDirectory): void {
  http.get('/v3/insurance/search/payor', {
    schema: {
      operationId: 'searchPayors',
      summary: 'Search payors by name or clearinghouse id',
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
      summary: 'Search payors (older form with `code`)',
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
      summary: 'Create a payor for the team',
      tag,
      body: CreatePayor,
      response: { 200: PayorView },
    },
    handler: ({ work, body, warn }) => {
      if (body.provider_payor_id != null && body.provider == null) {
        warn('provider_payor_id is stored, but cannot be searched for without provider');
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
      summary: 'Validate ICD-10-CM codes',
      description: 'Checks each code, and the Excludes1 and Excludes2 notes between them.',
      tag,
      body: ValidateCodes,
      response: { 200: IcdCodesValidationView },
    },
    handler: async ({ body }) => diagnoses.validate(body.codes),
  });
}
