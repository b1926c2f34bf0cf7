/** A finished call; without an answer it has no status. */
export interface RequestObserved {
  kind: 'request'
  method: string
  /** Without the query. */
  path: string
  status: number | undefined
  /** Error code of the answer. */
  code?: string | undefined
  duration_ms: number
}

/** A refused call, with reasons in the sandbox's own words. They name the request's fields, never their content. */
export interface RefusalObserved {
  kind: 'refusal'
  method: string
  path: string
  status: number
  reasons: string[]
}

/** A new status of a resource, or of a part of it such as the transfer. */
export interface TransitionObserved {
  kind: 'transition'
  /** Such as `prior_authorization` or `prescription_transfer`. */
  machine: string
  id: string
  /** Undefined for a new resource. */
  from: string | undefined
  to: string
  /** Detail of the status, such as an outcome or an error code. */
  detail?: string | undefined
}

/** One delivery attempt. */
export interface DeliveryObserved {
  kind: 'delivery'
  delivery_id: number
  event_type: string
  resource_id: string
  webhook: string
  host: string
  attempt: number
  /** The receiver's status; undefined without an answer. */
  status: number | undefined
  error: string | undefined
  state: 'pending' | 'delivered' | 'given_up'
  /** Faults injected by chaos. */
  chaos?: readonly string[] | undefined
}

export type Observation = RequestObserved | RefusalObserved | TransitionObserved | DeliveryObserved

/** Receives every observation, without content: no bodies, names or secrets. */
export type Observe = (observation: Observation) => void
