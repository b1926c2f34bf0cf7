import { PawlError, type Retry } from '@pawl/base/errors'

/** A failed write and its verdict. */
export interface RefusedWriteFacts {
  /** Id of the service's resource. */
  resourceId: string
  retry: Retry
  isOutage: boolean
  mayBeOutage?: boolean
  /** Why, in a few words that do not quote the system. */
  reason?: string | undefined
  /** The kind of request, such as `PUT /Task`. */
  request?: string | undefined
  /** False if the system has seen nothing of the write: it is the system's fault for certain. Default true. */
  costsAttempt?: boolean | undefined
  /** HTTP status; absent without an answer, and over another protocol. */
  status?: number | undefined
}

/** A system refused or missed a write. Messages name ids and the verdict; they never quote the system, whose words may hold patient data. */
export abstract class RefusedWrite extends PawlError {
  readonly resourceId: string
  override readonly retry: Retry
  override readonly isOutage: boolean
  override readonly mayBeOutage: boolean
  override readonly request: string | undefined
  override readonly httpStatus: number | undefined
  override readonly costsAttempt: boolean
  override readonly reason: string | undefined

  constructor(
    message: string,
    {
      resourceId,
      retry,
      isOutage,
      mayBeOutage = false,
      reason,
      request,
      status,
      costsAttempt = true,
    }: RefusedWriteFacts,
  ) {
    super(message)
    this.resourceId = resourceId
    this.retry = retry
    this.isOutage = isOutage
    this.mayBeOutage = mayBeOutage
    this.request = request
    this.httpStatus = status
    this.costsAttempt = costsAttempt
    this.reason = reason
  }
}
