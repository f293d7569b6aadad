import type { z } from 'zod';
import type { Tenant } from '../tenant.ts';
import type { Work } from '../work.ts';
import type { FileAnswer } from './file-answer.ts';
import type { Printed } from './printed.ts';

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
  /** Something newer does the same; it is served all the same. */
  readonly deprecated?: true;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** Headers of the brand that it takes, by their names behind the brand: `link-token` is x-<BRAND>-link-token. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The body comes as multipart/form-data; only a route of `http.upload` reads that. */
  readonly multipart?: true;
  /** The body may come as a line for each item too; only a route of `http.batch` reads that. */
  readonly lines?: true;
  readonly response: R;
  /**
   * A GET, or a POST that only asks, that answers a file as well, to a caller whose `Accept` prefers its media type;
   * see `TeamRoute.file`.
   */
  readonly file?: z.ZodType<FileAnswer, FileAnswer>;
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
  /** The idempotency key, for a `prepare` that begins what it has to recognise when the request comes again. */
  readonly repeatKey: string | undefined;
}

/** What a `prepare` begins before it waits, and the shape of what it answers: JSON, by which it is known again. */
export interface Beginning<T> {
  readonly shape: z.ZodType<T>;
  readonly effect: (work: Work) => Promise<T>;
}

export interface Beginner {
  /**
   * In a transaction of its own, and once for an idempotency key: a request that comes again while the first one
   * waits is given what that one began, and waits for the same.
   */
  begin<T>(beginning: Beginning<T>): Promise<T>;
}

/**
 * A route of the team API. `handler` runs inside one transaction, which holds the change, its events
 * and the answer kept for the idempotency key: all of them, or none. What has to speak with the outside
 * before does so in `prepare`, which runs outside any transaction and may run twice; what must not happen twice it
 * begins by `begin`.
 */
export interface TeamRoute<P, Q, B, R extends Answers, X> {
  readonly schema: RouteSchema<P, Q, B, R>;
  /** A closed-beta area: teams without the feature get 403. */
  readonly feature?: string;
  /** How long the answer to an idempotency key is kept. Default 24 hours. */
  readonly keepAnswerHours?: number;
  readonly prepare?: (input: TeamInput<P, Q, B> & Beginner) => Promise<X>;
  readonly handler: (
    input: TeamInput<P, Q, B> & { readonly work: Work; readonly prepared: X },
  ) => Promise<BodyOf<R[keyof R]> | Answer<R> | Printed>;
  /** Answers in place of `handler` where the file of the schema is asked for. */
  readonly file?: (
    input: TeamInput<P, Q, B> & { readonly work: Work; readonly prepared: X },
  ) => Promise<FileAnswer>;
}

export interface ManagementInput<P, Q, B> extends Input<P, Q, B> {
  readonly principal: ManagementPrincipal;
  /** For the audit log. */
  readonly from: { readonly address: string; readonly requestId: string };
}

/** A route of the Management API; it opens its own transactions. */
export interface ManagementRoute<P, Q, B, R extends Answers> {
  readonly schema: RouteSchema<P, Q, B, R>;
  /**
   * Answers in place of `handler` where the file of the schema is asked for: its text, piece by piece, as long as it
   * may be. What it throws before the first piece is answered as everywhere; later the answer is cut off.
   */
  readonly stream?: (input: ManagementInput<P, Q, B>) => AsyncIterable<string>;
  readonly handler: (input: ManagementInput<P, Q, B>) => Promise<BodyOf<R[keyof R]> | Answer<R>>;
}

/** Who calls the team API: one team in one environment. */
export interface TeamPrincipal {
  readonly tenant: Tenant;
  readonly keyId: string;
  /** What it came with; a key of the team where nothing is said. */
  readonly kind?: 'access_token' | 'break_glass' | 'user';
  readonly features: ReadonlySet<string>;
  /** Where it is the app of one user, known by a token: it speaks of nobody else. Only routes of `http.batch` let it in. */
  readonly userId?: string;
}

/** Who calls the Management API. `teamIds` is null for an Org Management Key, which may do everything in its organization. */
export interface ManagementPrincipal {
  readonly keyId: string;
  readonly orgId: string;
  readonly plan: string;
  readonly teamIds: ReadonlySet<string> | null;
}

/** What the gate is told of a request. */
export interface Asked {
  readonly headers: Record<string, string | string[] | undefined>;
  /** Where it comes from. */
  readonly address: string;
  readonly method: Method;
  /** The tag of the route. */
  readonly tag: string;
}

/**
 * Decides who is calling. Both throw a DomainError: `unauthorized` for a stranger, `too_many` for an address that
 * brings one stranger after the other, `forbidden` for a key that may not do this.
 */
export interface Gate {
  team(asked: Asked): Promise<TeamPrincipal>;
  management(asked: Asked): Promise<ManagementPrincipal>;
}
