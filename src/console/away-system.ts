/** A system that is away, or that refuses one kind of request, as far as this process knows. */
export interface AwaySystem {
  system: string
  /** The refused kind of request, such as `PUT /Task`; absent if the whole system is away. */
  request?: string
  forMs?: number
  leftAloneMs?: number
  error?: { code: string; message: string }
}
