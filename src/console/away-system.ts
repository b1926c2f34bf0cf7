/** A system that is away, as far as this process knows. */
export interface AwaySystem {
  system: string
  forMs?: number
  leftAloneMs?: number
  error?: { code: string; message: string }
}
