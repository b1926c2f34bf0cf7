import { Breakable } from './breakable.tsx'

/** An event type that wraps only after its underscores and dot. */
export function EventName({ type }: { type: string }) {
  return (
    <code class="name">
      <Breakable text={type} />
    </code>
  )
}
