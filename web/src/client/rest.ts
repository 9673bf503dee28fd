// The REST client: requests typed by the OpenAPI document, by method and path.
//
// A 401 is retried once with a fresh token.
import type { paths } from "./openapi";
import type { Problem, ProblemDocument } from "./types";

const MAX_TRIES = 4;

type Method = "get" | "put" | "post" | "patch" | "delete";
type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, { responses: unknown }> ? P : never;
}[keyof paths];
type Operation<M extends Method, P extends keyof paths> = paths[P] extends Record<M, infer O>
  ? O
  : never;
type JsonIn<R> = R extends { content: { "application/json": infer T } } ? T : undefined;
type SuccessStatus = 200 | 201 | 202 | 204;
type Answer<O> = O extends { responses: infer R }
  ? { [S in keyof R & SuccessStatus]: JsonIn<R[S]> }[keyof R & SuccessStatus]
  : never;
type PathParameters<O> = O extends { parameters: { path: infer T } } ? { path: T } : { path?: never };
type QueryOf<O> = O extends { parameters: { query?: infer T } } ? { query?: T } : { query?: never };
type BodyOf<O> = O extends { requestBody: { content: { "application/json": infer T } } }
  ? { body: T }
  : { body?: never };
type Input<O> = PathParameters<O> & QueryOf<O> & BodyOf<O> & { headers?: Record<string, string> };

export interface TokenSource {
  /** `stale` is a token that the server refused: returns another one. */
  get(stale?: string): Promise<string>;
}

export class Rest {
  constructor(
    readonly api: string,
    private readonly tokens: TokenSource,
  ) {}

  async request<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    input: Input<Operation<M, P>>,
  ): Promise<Answer<Operation<M, P>>> {
    const { path: parameters, query, body, headers } = input as {
      path?: Record<string, string>;
      query?: Record<string, unknown>;
      body?: unknown;
      headers?: Record<string, string>;
    };
    const url = fillPath(path as string, parameters ?? {}) + queryString(query ?? {});
    return (await readBody(await this.#send(method, url, body, headers))) as Answer<Operation<M, P>>;
  }

  /** A file, such as a PDF. */
  async download(url: string): Promise<Blob> {
    const answer = await this.#send("get", url);
    if (!answer.ok) await readBody(answer);
    return answer.blob();
  }

  async #send(
    method: string,
    url: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Response> {
    const send = (token: string): Promise<Response> => {
      const allHeaders: Record<string, string> = { ...headers, Authorization: `Bearer ${token}` };
      if (body !== undefined) allHeaders["Content-Type"] = "application/json";
      return fetchOrFail(this.api + url, {
        method: method.toUpperCase(),
        headers: allHeaders,
        body: body === undefined ? null : JSON.stringify(body),
      });
    };
    const token = await this.tokens.get();
    const answer = await send(token);
    return answer.status === 401 ? send(await this.tokens.get(token)) : answer;
  }
}

/** Repeats a request that was not answered: only with an idempotency key. */
export async function retryUnreachable<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await run();
    } catch (error) {
      const isLost = isProblem(error) && error.code === "unreachable";
      if (!isLost || tries === MAX_TRIES) throw error;
      await new Promise((done) => setTimeout(done, 500 * 2 ** tries));
    }
  }
}

/** Without a token, and not in the OpenAPI document: the demo's endpoints. */
export async function fetchJson(url: string, body?: unknown): Promise<unknown> {
  const init: RequestInit =
    body === undefined
      ? {}
      : {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify(body),
        };
  return readBody(await fetchOrFail(url, init));
}

async function fetchOrFail(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, cache: "no-store", credentials: "omit" });
  } catch {
    throw new ProblemError(clientProblem("unreachable", 0));
  }
}

async function readBody(answer: Response): Promise<unknown> {
  if (answer.ok) return answer.status === 204 ? undefined : JSON.parse(await readText(answer));
  const found: unknown = await answer.json().catch(() => null);
  throw problemFrom(found, answer.status);
}

/** The connection can be lost while the answer is read. */
async function readText(answer: Response): Promise<string> {
  try {
    return await answer.text();
  } catch {
    throw new ProblemError(clientProblem("unreachable", 0));
  }
}

function fillPath(path: string, parameters: Record<string, string>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ""));
}

function queryString(query: Record<string, unknown>): string {
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null) parts.append(name, String(one));
    }
  }
  const text = parts.toString();
  return text === "" ? "" : `?${text}`;
}

/** A failed request: refused by the server, or not answered. */
export class ProblemError extends Error implements Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly fields: Readonly<Record<string, unknown>>;

  constructor(document: ProblemDocument) {
    super(document.detail ?? document.title);
    this.name = "Problem";
    this.type = document.type;
    this.title = document.title;
    this.status = document.status;
    this.detail = document.detail ?? "";
    this.fields = document as unknown as Record<string, unknown>;
  }

  get code(): string {
    return this.type.slice(this.type.lastIndexOf("/") + 1);
  }
}

export function isProblem(error: unknown): error is Problem {
  return error instanceof ProblemError;
}

/** From any response body: a proxy does not send problem+json. */
export function problemFrom(found: unknown, status: number): ProblemError {
  if (typeof found === "object" && found !== null && "type" in found && "title" in found) {
    return new ProblemError(found as ProblemDocument);
  }
  return new ProblemError(clientProblem(status === 404 ? "not-found" : "no-answer", status));
}

/** A problem that the client detects itself. It has a code and no text; the app chooses the text. */
export function clientProblem(
  code: "unreachable" | "not-found" | "no-answer" | "no-token" | "unreadable" | "upload-refused",
  status: number,
  detail = "",
): ProblemDocument {
  const type = `client/${code}`;
  return { type, title: type, status, ...(detail === "" ? {} : { detail }) };
}
