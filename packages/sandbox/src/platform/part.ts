/** A part of the sandbox whose state snapshots keep. */
export interface Part<Saved> {
  /** The state as JSON. The caller copies it before the next change. */
  save(): Saved
  /** Replaces the state. The part may keep and change what it is given. */
  restore(saved: Saved): void
}
