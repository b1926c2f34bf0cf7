/** A call that was answered; an answer that never came has no status. */
export interface RequestObserved {
  kind: 'request'
  method: string
  /** Without the query. */
  path: string
  status: number | undefined
  /** The error code of the answer. */
  code?: string | undefined
  duration_ms: number
}

/** A call that was refused, and why: texts of the sandbox alone, nothing of what was sent but the names of fields. */
export interface RefusalObserved {
  kind: 'refusal'
  method: string
  path: string
  status: number
  reasons: string[]
}

/** A resource, or a part of one such as its transfer, that came to a status. */
export interface TransitionObserved {
  kind: 'transition'
  /** `prior_authorization`, `prescription_transfer` and so on. */
  machine: string
  id: string
  /** Undefined for a resource that was just created. */
  from: string | undefined
  to: string
  /** What the status alone does not say: an outcome, an error code. */
  detail?: string | undefined
}

/** One attempt to deliver. */
export interface DeliveryObserved {
  kind: 'delivery'
  delivery_id: number
  event_type: string
  resource_id: string
  webhook: string
  host: string
  attempt: number
  /** The receiver's status, or the reason why there is none. */
  status: number | undefined
  error: string | undefined
  state: 'pending' | 'delivered' | 'given_up'
  /** What chaos did to it. */
  chaos?: readonly string[] | undefined
}

export type Observation = RequestObserved | RefusalObserved | TransitionObserved | DeliveryObserved

/** Is told of everything that happens, without content: no bodies, no names, no secrets. */
export type Observe = (observation: Observation) => void
