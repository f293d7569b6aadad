import type { z } from 'zod';
import type { Tenant } from '../tenant.ts';
import type { Work } from '../work.ts';
import type { EventOutput } from './event-output.ts';
import type { FileResponse } from './file-response.ts';
import type { SerializedJson } from './serialized-json.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
export type Scope = 'team' | 'management' | 'open';

/** The response schemas of a route by status. `null` is a response without a body, `pdf()` a file. */
export type ResponseSchemas = Record<number, z.ZodType | null>;

export interface RouteSchema<P, Q, B, R extends ResponseSchemas> {
  /** Unique. Names the operation in the OpenAPI document, and scopes idempotency keys. */
  readonly operationId: string;
  readonly summary: string;
  /** The group on the reference page. */
  readonly tag: string;
  /**
   * The tag of the operations that a token in the response opens. A key needs access to their area too: no key issues a
   * token that permits more than itself.
   */
  readonly grantsTag?: string;
  readonly description?: string;
  /** A newer operation replaces it. It is still served. */
  readonly deprecated?: true;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** Branded request headers by their suffix: `link-token` is x-<BRAND>-link-token. Values are descriptions. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The credential of an open route is the session of a member. */
  readonly usesSession?: true;
  /** Programs repeat the request, so it is no use of a session: it does not put off the idle time-out. */
  readonly isPassive?: true;
  /** The body is multipart/form-data. Only for `http.upload`. */
  readonly multipart?: true;
  /** The body may also be NDJSON. Only for `http.batch`. */
  readonly lines?: true;
  readonly response: R;
  /**
   * A GET, or a POST that only reads, can also respond with a file, when the caller's `Accept` prefers its media type;
   * see `TeamRoute.file`.
   */
  readonly file?: z.ZodType<FileResponse, FileResponse>;
}

type SchemaOutput<S> = S extends z.ZodType ? z.output<S> : undefined;
/** A response without a body may be made by returning nothing. */
type ResponseBody<S> = S extends z.ZodType ? z.input<S> : undefined | void;

/** A response with another status than the first one of `response`. */
export interface RouteResponse<R extends ResponseSchemas, S extends keyof R & number = keyof R & number> {
  readonly answer: true;
  readonly status: S;
  readonly body: ResponseBody<R[S]>;
}

export const respondWith = <R extends ResponseSchemas, S extends keyof R & number>(
  status: S,
  body: ResponseBody<R[S]>,
): RouteResponse<R, S> => ({ answer: true, status, body });

export interface RequestInput<P, Q, B> {
  readonly params: SchemaOutput<P>;
  readonly query: SchemaOutput<Q>;
  readonly body: SchemaOutput<B>;
  /** Warns the caller, in the warning header, of input that is deprecated or was not verified. */
  warn(message: string): void;
}

export interface TeamInput<P, Q, B> extends RequestInput<P, Q, B> {
  readonly tenant: Tenant;
  readonly principal: TeamPrincipal;
  /** The idempotency key, for a `prepare` whose steps must be recognized on a retry. */
  readonly repeatKey: string | undefined;
}

/** A durable step of `prepare`, and the schema of its JSON result, by which a retry reads it back. */
export interface DurableStep<T> {
  readonly shape: z.ZodType<T>;
  readonly effect: (work: Work) => Promise<T>;
}

export interface DurableStepRunner {
  /**
   * Runs a step in its own transaction, once per idempotency key. A retry that arrives while the first request waits
   * gets the stored result of the step, and waits for the same.
   */
  runStep<T>(beginning: DurableStep<T>): Promise<T>;
}

/**
 * A route of the team API. `handler` runs in one transaction, which contains the change, its events and the response
 * stored for the idempotency key: all or nothing. Calls to external systems go into `prepare`, which runs outside any
 * transaction and may run twice. What must not happen twice goes through `runStep`.
 */
export interface TeamRoute<P, Q, B, R extends ResponseSchemas, X> {
  readonly schema: RouteSchema<P, Q, B, R>;
  /** A closed-beta feature: teams without it get 403. */
  readonly feature?: string;
  /**
   * The apps of users may call it, each for its own user: another `user_id` in the path is a 404. Without one in the
   * path, the handler has to restrict itself to `principal.userId`.
   */
  readonly opensToUsers?: true;
  /** How long the response for an idempotency key is stored. Default: 24 hours. */
  readonly idempotencyTtlHours?: number;
  readonly prepare?: (input: TeamInput<P, Q, B> & DurableStepRunner) => Promise<X>;
  readonly handler: (
    input: TeamInput<P, Q, B> & { readonly work: Work; readonly prepared: X },
  ) => Promise<ResponseBody<R[keyof R]> | RouteResponse<R> | SerializedJson>;
  /** Replaces `handler` when the caller prefers the file of the schema. */
  readonly file?: (
    input: TeamInput<P, Q, B> & { readonly work: Work; readonly prepared: X },
  ) => Promise<FileResponse>;
  /**
   * Replaces `handler` when the caller prefers `text/event-stream`. Returns as soon as the stream can begin, with a
   * function that is called when the response has closed. No transaction is open while the stream is.
   */
  readonly stream?: (input: TeamInput<P, Q, B> & EventStreamInput) => Promise<() => void>;
}

interface EventStreamInput {
  /** The header Last-Event-ID: the id of the last event that the client received. */
  readonly lastEventId: string | undefined;
  readonly output: EventOutput;
}

export interface ManagementInput<P, Q, B> extends RequestInput<P, Q, B> {
  readonly principal: ManagementPrincipal;
  /** For the audit log. */
  readonly from: { readonly address: string; readonly requestId: string };
}

/** A route of the Management API. It opens its own transactions. */
export interface ManagementRoute<P, Q, B, R extends ResponseSchemas> {
  readonly schema: RouteSchema<P, Q, B, R>;
  /** The largest body. Default: 1 MiB. */
  readonly limitBytes?: number;
  /**
   * Replaces `handler` when the caller prefers the file of the schema: streams its text in chunks of any total length.
   * An error before the first chunk becomes a normal error response; a later one aborts the response.
   */
  readonly stream?: (input: ManagementInput<P, Q, B>) => AsyncIterable<string>;
  readonly handler: (input: ManagementInput<P, Q, B>) => Promise<ResponseBody<R[keyof R]> | RouteResponse<R>>;
}

/** The caller of the team API: one team in one environment. */
export interface TeamPrincipal {
  readonly tenant: Tenant;
  /** The id of the credential; of the member for a session. */
  readonly keyId: string;
  /** The kind of credential. Default: a team API key. */
  readonly kind?: 'access_token' | 'break_glass' | 'user' | 'member';
  readonly features: ReadonlySet<string>;
  /**
   * The user, if the caller is the app of one user, identified by a token. It may only access that user, and only routes
   * with `opensToUsers` accept it.
   */
  readonly userId?: string;
  /** The access token of that app; undefined for a sign-in token. */
  readonly tokenId?: string;
  /** The person, if the caller has a session. */
  readonly member?: SessionMember;
  /** Whether the caller may read with another operation: for a response whose parts need different permissions. */
  readonly mayRead: (other: { readonly operation: string; readonly tag: string }) => boolean;
  /** What the API key permits; undefined for other credentials. */
  readonly limits?: {
    readonly readOnly: boolean;
    /** null: all areas. */
    readonly areas: ReadonlySet<string> | null;
    /** Whether an assistant may read with the key in production. */
    readonly assistants: boolean;
  };
}

/** The person who calls with a session, and the session. */
interface SessionMember {
  readonly memberId: string;
  readonly sessionId: string;
}

/**
 * The caller of the Management API. `teamIds` is null for an organization management key, which may access everything
 * in its organization. For a session, `teamIds` are the teams in which the member may call the operation; null is the
 * whole organization.
 */
export interface ManagementPrincipal {
  /** The id of the key; of the member for a session. */
  readonly keyId: string;
  readonly orgId: string;
  readonly plan: string;
  readonly teamIds: ReadonlySet<string> | null;
  /** The person, if the caller has a session. */
  readonly member?: SessionMember & { readonly isOwner: boolean };
}

/** What authentication needs to know about a request. */
export interface AuthenticationRequest {
  readonly headers: Record<string, string | string[] | undefined>;
  /** The client IP address. */
  readonly address: string;
  readonly method: Method;
  /** The tag of the route. */
  readonly tag: string;
  /** The operationId of the route. */
  readonly operation: string;
  /** The path of the route, with the names of its parameters. */
  readonly path: string;
  /** The values of the path parameters, not validated. */
  readonly params: Readonly<Record<string, string | undefined>>;
  /** Whether the request is no use of a session, and must notice a revocation early: see `RouteSchema.isPassive`. */
  readonly isPassive?: true | undefined;
  /** The query parameters, not validated. */
  readonly query: Readonly<Record<string, unknown>>;
  /** The tag of the operations that a token in its response opens. */
  readonly grantsTag?: string | undefined;
  /** Called before a request is refused that its key does not permit. */
  readonly onForbidden?: (principal: TeamPrincipal) => void;
}

/** Rate limits of a team in units per minute; null: that of the configuration. */
export interface TeamRateLimits {
  readonly teamPerMinute: number | null;
  readonly keyPerMinute: number | null;
}

/**
 * Authenticates callers. Both methods throw a DomainError: `unauthorized` for an unknown key, `too_many` for an address
 * with too many failed attempts, `forbidden` for a key without this permission.
 */
export interface Authenticator {
  team(asked: AuthenticationRequest): Promise<TeamPrincipal>;
  management(asked: AuthenticationRequest): Promise<ManagementPrincipal>;
  /** The rate limits that were set for a team. Default: none. */
  rateLimitsOf?(tenant: Tenant): Promise<TeamRateLimits>;
}
