import type { App } from '../app.ts';
import { runAuditedChange, type TenantChangeContext } from '../identity/management/management.ts';
import type { Config } from '../platform/config.ts';
import { DomainError, type FieldError } from '../platform/errors.ts';
import type { Environment } from '../platform/tenant.ts';
import {
  minimumDaysOf,
  RETENTION_KINDS,
  RETENTION_RULES,
  type RetentionKind,
  type RetentionPolicies,
} from './kinds.ts';
import type { ChangeRetentionBody } from './schema.ts';
import * as store from './store.ts';

/** Sets how long kinds of data are kept. 422 outside of the limits of a kind. Takes effect with the next sweep. */
export function changeRetention(
  app: App,
  acting: TenantChangeContext,
  change: ChangeRetentionBody,
): Promise<RetentionPolicies> {
  const { environment } = acting.tenant;
  const faults = RETENTION_KINDS.flatMap((kind) =>
    findFault(app.config, { kind, environment, days: change[kind] }),
  );
  if (faults.length > 0) throw new DomainError('invalid', faults);
  return runAuditedChange(app, acting, async (work) => {
    const before = await store.readPolicies(work, true);
    for (const kind of RETENTION_KINDS) {
      const days = change[kind];
      if (days === 'default') await store.deletePolicy(work, kind);
      else if (days !== undefined) await store.putPolicy(work, kind, days);
    }
    const after = await store.readPolicies(work);
    const deed = { action: 'retention.update', subject: acting.tenant.teamId, before, after };
    return { value: after, deed };
  });
}

interface WantedPeriod {
  readonly kind: RetentionKind;
  readonly environment: Environment;
  readonly days: number | null | 'default' | undefined;
}

function findFault(config: Config, { kind, environment, days }: WantedPeriod): FieldError[] {
  if (days === undefined || days === 'default') return [];
  const { maximumDays, canBeForever } = RETENTION_RULES[kind];
  const minimumDays = minimumDaysOf(config, kind, environment);
  const isValid = days === null ? canBeForever : days >= minimumDays && days <= maximumDays;
  const msg = `expected ${minimumDays} to ${maximumDays} days${canBeForever ? ', or null for ever' : ''}`;
  return isValid ? [] : [{ loc: ['body', kind], msg, type: 'value_error' }];
}
