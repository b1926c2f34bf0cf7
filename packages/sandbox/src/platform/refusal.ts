import { z } from 'zod'
import {
  CodedError,
  type DetailError,
  documentedErrors,
  type ErrorCode,
  type ValidationError,
} from 'pawl-client/schemas/documented-errors'
import type { RequestFault } from 'pawl-client/schemas/faults'

/** The body of a refusal with a documented code, or with one of the sandbox's controls. */
export const CodedRefusal = CodedError.extend({ error: CodedError.shape.error.extend({ code: z.string() }) })
type CodedDetails = z.infer<typeof CodedRefusal>['error']

/** Body of a refusal, in one of the three documented shapes. */
export type ErrorBody = z.infer<typeof CodedRefusal> | z.infer<typeof DetailError> | z.infer<typeof ValidationError>

/** An error answer: its HTTP status and its body in one of the documented shapes. */
export class Refusal extends Error {
  readonly httpStatus: number
  readonly body: ErrorBody
  /** `Retry-After` header, in wall-clock seconds. */
  readonly retryAfterSeconds: number | undefined

  constructor(httpStatus: number, message: string, body: ErrorBody, retryAfterSeconds?: number) {
    super(message)
    this.name = 'Refusal'
    this.httpStatus = httpStatus
    this.body = body
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** `{status: "error", error: {title, description, code}}`, with extra keys where the specification has them. */
export function codedRefusal(httpStatus: number, error: CodedDetails): Refusal {
  return new Refusal(httpStatus, error.description, { status: 'error', error })
}

/** The refusal with a documented code, with extra keys where the specification has them. */
export function refuse(code: ErrorCode, extra: Record<string, unknown> = {}): Refusal {
  const [httpStatus, title, description] = documentedErrors[code]
  return codedRefusal(httpStatus, { title, description, code, ...extra })
}

/** The same refusal with a `Retry-After` header (specification, Limits 4). */
export function withRetryAfter({ httpStatus, message, body }: Refusal, seconds: number): Refusal {
  return new Refusal(httpStatus, message, body, Math.max(1, Math.ceil(seconds)))
}

/** `{detail}`: PA cancel, NDP update, transfer cancel, feedback. */
export function detailRefusal(httpStatus: number, detail: string): Refusal {
  return new Refusal(httpStatus, detail, { detail })
}

/** 422 with every fault at once. */
export function validationRefusal(faults: RequestFault[]): Refusal {
  return new Refusal(422, 'The request does not fit its schema.', { detail: faults })
}

/** 404 of a BV or clinical qualification: the same for a nonexistent one and another organization's. */
export function notFound(what: string): Refusal {
  return codedRefusal(404, { title: 'Not found', description: `${what} does not exist.`, code: 'not_found' })
}

/** 404 of a PA (specification, Status codes and codes). */
export function priorAuthorizationNotFound(): Refusal {
  return detailRefusal(404, 'Prior authorization request does not exist.')
}
