import type { z } from 'zod';
import type { Tenant } from '../tenant.ts';
import type { Work } from '../work.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
export type Scope = 'team' | 'management' | 'open';

/** The answers of a route by status; `null` is an answer without a body, `pdf()` a file. */
export type Answers = Record<number, z.ZodType | null>;

export interface RouteSchema<P, Q, B, R extends Answers> {
  /** Unique; names the operation in the OpenAPI document and scopes idempotency keys. */
  readonly operationId: string;
  readonly summary: string;
  /** The group on the reference page. */
  readonly tag: string;
  readonly description?: string;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly response: R;
}

type Out<S> = S extends z.ZodType ? z.output<S> : undefined;
/** An answer without a body may be made by returning nothing. */
type BodyOf<S> = S extends z.ZodType ? z.input<S> : undefined | void;

/** Another status than the first one of `response`, or the same with more headers. */
export interface Answer<R extends Answers, S extends keyof R & number = keyof R & number> {
  readonly answer: true;
  readonly status: S;
  readonly body: BodyOf<R[S]>;
}

export const answer = <R extends Answers, S extends keyof R & number>(
  status: S,
  body: BodyOf<R[S]>,
): Answer<R, S> => ({ answer: true, status, body });

export interface Input<P, Q, B> {
  readonly params: Out<P>;
  readonly query: Out<Q>;
  readonly body: Out<B>;
  /** Tells the caller, in the warning header, what will be refused one day or was taken on trust. */
  warn(message: string): void;
}

export interface TeamInput<P, Q, B> extends Input<P, Q, B> {
  readonly tenant: Tenant;
  readonly principal: TeamPrincipal;
}

/**
 * A route of the team API. `handler` runs inside one transaction, which holds the change, its events
 * and the answer kept for the idempotency key: all of them, or none. What has to speak with the outside
 * before does so in `prepare`, which runs outside any transaction and may run twice.
 */
export interface TeamRoute<P, Q, B, R extends Answers, X> {
  readonly schema: RouteSchema<P, Q, B, R>;
  /** A closed-beta area: teams without the feature get 403. */
  readonly feature?: string;
  /** How long the answer to an idempotency key is kept. Default 24 hours. */
  readonly keepAnswerHours?: number;
  readonly prepare?: (input: TeamInput<P, Q, B>) => Promise<X>;
  readonly handler: (
    input: TeamInput<P, Q, B> & { readonly work: Work; readonly prepared: X },
  ) => Promise<BodyOf<R[keyof R]> | Answer<R>>;
}

export interface ManagementInput<P, Q, B> extends Input<P, Q, B> {
  readonly principal: ManagementPrincipal;
  /** For the audit log. */
  readonly from: { readonly address: string; readonly requestId: string };
}

/** A route of the Management API; it opens its own transactions. */
export interface ManagementRoute<P, Q, B, R extends Answers> {
  readonly schema: RouteSchema<P, Q, B, R>;
  readonly handler: (input: ManagementInput<P, Q, B>) => Promise<BodyOf<R[keyof R]> | Answer<R>>;
}

/** Who calls the team API: one team in one environment. */
export interface TeamPrincipal {
  readonly tenant: Tenant;
  readonly keyId: string;
  readonly features: ReadonlySet<string>;
}

/** Who calls the Management API. `teamIds` is null for an Org Management Key, which may do everything in its organization. */
export interface ManagementPrincipal {
  readonly keyId: string;
  readonly orgId: string;
  readonly plan: string;
  readonly teamIds: ReadonlySet<string> | null;
}

/** Decides who is calling. Both throw a DomainError of kind `unauthorized` for a stranger. */
export interface Gate {
  team(headers: Record<string, string | string[] | undefined>): Promise<TeamPrincipal>;
  management(headers: Record<string, string | string[] | undefined>): Promise<ManagementPrincipal>;
}
